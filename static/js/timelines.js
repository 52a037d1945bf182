// Timelines that something runs on: what ends now follows the clock, once a second, and stands still when the stream is lost.
let skew = Date.parse(document.documentElement.dataset.now) - Date.now();
let ticking = true;

const percent = (share) => `${Math.min(Math.max(share * 100, 0), 100).toFixed(3)}%`;

function draw(timeline, passed) {
  const span = Number(timeline.dataset.span);
  for (const bar of timeline.querySelectorAll("[data-grows]")) {
    const [start, end] = bar.dataset.grows.split(" ").map(Number);
    bar.setAttribute("width", percent((Math.min(end + passed, span) - start) / span));
  }
  for (const mark of timeline.querySelectorAll("[data-moves]")) {
    const at = percent((Number(mark.dataset.moves) + passed) / span);
    for (const name of mark.localName === "line" ? ["x1", "x2"] : ["x"]) mark.setAttribute(name, at);
  }
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

document.addEventListener("htmx:after:swap", tick);
document.addEventListener("console:stream", (event) => { ticking = ["on", "joining"].includes(event.detail.state); });
document.addEventListener("console:clock", (event) => { skew = Date.parse(event.detail.now) - Date.now(); });

setInterval(tick, 1000);
