// Nothing moves by itself: not as the page comes together, and not when its regions are drawn anew as they are.
const MOST = 0.02;
const faults = [];
let moved = 0;
const observer = new PerformanceObserver((list) => count(list.getEntries()));
const count = (entries) => { for (const entry of entries) if (!entry.hadRecentInput) moved += entry.value; };
const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));

observer.observe({ type: "layout-shift", buffered: true });
await frame();
count(observer.takeRecords());
if (moved >= MOST) faults.push(`the first load moves by ${moved.toFixed(3)}`);

moved = 0;
const regions = [...document.querySelectorAll("[data-region]")];
const drawn = regions.map((region) => new Promise((resolve) => region.addEventListener("htmx:finally:request", resolve, { once: true })));
for (const region of regions) region.dispatchEvent(new CustomEvent("live:refresh"));
await Promise.race([Promise.all(drawn), new Promise((resolve) => setTimeout(resolve, 3000))]);
await frame();
count(observer.takeRecords());
observer.disconnect();
if (moved >= MOST) faults.push(`drawing it anew moves it by ${moved.toFixed(3)}`);
if (matchMedia("(prefers-reduced-motion: reduce)").matches && document.getAnimations().length) faults.push("something is animated for who does not want that");
return faults;
