// Timelines: what ends now follows the clock once a second, and stands still when the stream is lost. Under the pointer,
// a line across all rows says the time, since the start and by the clock.
const root = document.documentElement;
let skew = Date.parse(root.dataset.now) - Date.now();
let ticking = true;

const percent = (share) => `${Math.min(Math.max(share * 100, 0), 100).toFixed(3)}%`;

function place(element, share) {
  for (const name of element.localName === "line" ? ["x1", "x2"] : ["x"]) element.setAttribute(name, percent(share));
}

function draw(timeline, passed) {
  const span = Number(timeline.dataset.span);
  for (const bar of timeline.querySelectorAll("[data-grows]")) {
    const [start, end] = bar.dataset.grows.split(" ").map(Number);
    bar.setAttribute("width", percent((Math.min(end + passed, span) - start) / span));
  }
  for (const mark of timeline.querySelectorAll("[data-moves]")) place(mark, (Number(mark.dataset.moves) + passed) / span);
}

// What was expected is due by now: the server says what became of it, and the axis may have to be longer.
function renew(timeline) {
  timeline.dataset.holds = Infinity;
  timeline.closest("[data-region]")?.dispatchEvent(new CustomEvent("live:refresh"));
}

function tick() {
  if (!ticking || document.hidden) return;
  for (const timeline of document.querySelectorAll(".gantt[data-drawn]")) {
    const passed = (Date.now() + skew - Date.parse(timeline.dataset.drawn)) / 1000;
    if (passed < 0) continue;
    draw(timeline, passed);
    if (passed > Number(timeline.dataset.holds)) renew(timeline);
  }
}

// Seconds since the start at a share of the axis, which is folded in places.
function secondsAt(scale, share) {
  const at = share * scale.at(-1)[0];
  const after = Math.max(1, scale.findIndex(([end]) => end >= at));
  const [[start, since], [end, until]] = [scale[after - 1], scale[after]];
  return since + (until - since) * (end > start ? (at - start) / (end - start) : 0);
}

function words(seconds) {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const parts = [hours && `${hours} h`, minutes && `${minutes} min`, !hours && `${(seconds % 60).toFixed(seconds < 60 ? 1 : 0)} s`];
  return parts.filter(Boolean).join(" ");
}

function clock(instant) {
  return new Date(instant).toLocaleTimeString("en-GB", { timeZone: root.dataset.zone === "local" ? undefined : "UTC" });
}

function point(event) {
  const timeline = event.target instanceof Element ? event.target.closest(".gantt[data-scale]") : null;
  for (const hair of document.querySelectorAll(".gantt .hair")) {
    const box = hair.ownerSVGElement.getBoundingClientRect();
    const share = (event.clientX - box.left) / box.width;
    const shown = timeline?.contains(hair) && share >= 0 && share <= 1;
    hair.setAttribute("visibility", shown ? "visible" : "hidden");
    if (!shown) continue;
    const [line, text] = hair.children;
    const seconds = secondsAt(JSON.parse(timeline.dataset.scale), share);
    place(line, share);
    line.setAttribute("y2", timeline.getBoundingClientRect().bottom - box.top);
    place(text, Math.min(Math.max(share, 0.12), 0.88));
    text.textContent = `${words(seconds)} · ${clock(Date.parse(timeline.dataset.since) + seconds * 1000)}`;
  }
}

document.addEventListener("pointermove", point, { passive: true });
document.addEventListener("htmx:after:swap", tick);
document.addEventListener("console:stream", (event) => { ticking = ["on", "joining"].includes(event.detail.state); });
document.addEventListener("console:clock", (event) => { skew = Date.parse(event.detail.now) - Date.now(); });

setInterval(tick, 1000);
