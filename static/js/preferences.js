// Runs before the first paint: the two things a browser remembers are its theme and its time zone. The paint waits for
// the fonts, which come along, so that nothing moves when they are there; but not for long.
const root = document.documentElement;
const fonts = ['1em "Inter Variable"', '1em "JetBrains Mono Variable"'];
const longest = 1_000;

function recall(name) {
  try { return localStorage.getItem(`watchfloor.${name}`); } catch { return null; }
}

function remember(name, value) {
  try { localStorage.setItem(`watchfloor.${name}`, value); } catch { /* private windows forget, and that is fine */ }
}

function show(name, fallback) {
  const value = recall(name) ?? fallback;
  if (value === "system") delete root.dataset[name];
  else root.dataset[name] = value;
  for (const choice of document.querySelectorAll(`[data-${name}-choice]`)) {
    choice.setAttribute("aria-pressed", String(choice.dataset[`${name}Choice`] === value));
  }
}

const preferences = { theme: "system", zone: "utc" };

root.dataset.js = "";
root.dataset.fonts = "coming";
const here = () => { delete root.dataset.fonts; };
Promise.all(fonts.map((font) => document.fonts.load(font))).then(here, here);
setTimeout(here, longest);
for (const [name, fallback] of Object.entries(preferences)) show(name, fallback);

document.addEventListener("DOMContentLoaded", () => {
  for (const [name, fallback] of Object.entries(preferences)) show(name, fallback);
});

document.addEventListener("click", (event) => {
  for (const [name, fallback] of Object.entries(preferences)) {
    const choice = event.target.closest(`[data-${name}-choice]`);
    if (!choice) continue;
    remember(name, choice.dataset[`${name}Choice`]);
    show(name, fallback);
    document.dispatchEvent(new CustomEvent(`console:${name}`));
  }
});
