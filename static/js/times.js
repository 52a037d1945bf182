// Times: ages tick once a second while the page is live, and clocks follow the zone the operator chose.
const root = document.documentElement;
let skew = Date.parse(root.dataset.now) - Date.now();
let ticking = true;

const shapes = {
  time: { hour: "2-digit", minute: "2-digit", second: "2-digit" },
  minute: { hour: "2-digit", minute: "2-digit" },
  day: { month: "short", day: "numeric" },
  short: { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" },
  full: { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit" },
};
const writers = new Map();

function writer(shape, zone) {
  const key = `${shape} ${zone}`;
  if (!writers.has(key)) {
    const timeZone = zone === "utc" ? "UTC" : undefined;
    writers.set(key, new Intl.DateTimeFormat(shape === "full" ? "sv-SE" : "en-US", { ...shapes[shape], timeZone, hourCycle: "h23" }));
  }
  return writers.get(key);
}

function zoneName(zone) {
  if (zone === "utc") return "UTC";
  const parts = new Intl.DateTimeFormat("en-US", { timeZoneName: "short" }).formatToParts();
  return parts.find((part) => part.type === "timeZoneName").value;
}

function duration(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole} s`;
  const [size, big, small, name] = whole < 3600 ? [60, "min", 1, "s"] : whole < 86400 ? [3600, "h", 60, "min"] : [86400, "d", 3600, "h"];
  const rest = Math.floor((whole % size) / small);
  return `${Math.floor(whole / size)} ${big}${rest ? ` ${rest} ${name}` : ""}`;
}

function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function tick() {
  if (!ticking || document.hidden) return;
  const now = Date.now() + skew;
  for (const element of document.querySelectorAll("time[data-age]")) {
    const seconds = Math.abs(now - Date.parse(element.dateTime)) / 1000;
    if (element.dataset.age === "ago") put(element, seconds < 1 ? "just now" : `${duration(seconds)} ago`);
    else put(element, duration(seconds));
  }
}

// Server text is UTC already; only the other zone needs a rewrite, and so does the way back.
function setClocks(scope, force) {
  const zone = root.dataset.zone ?? "utc";
  if (zone === "utc" && !force) return;
  const name = zoneName(zone);
  for (const element of scope.querySelectorAll("time[datetime]")) {
    const when = new Date(element.dateTime);
    element.title = `${writer("full", zone).format(when)} ${name}`;
    if (element.dataset.clock) put(element, writer(element.dataset.clock, zone).format(when));
  }
  for (const element of scope.querySelectorAll("[data-zone-name]")) put(element, name);
}

document.addEventListener("console:zone", () => setClocks(document, true));
document.addEventListener("htmx:after:swap", () => { setClocks(document); tick(); });
document.addEventListener("console:stream", (event) => { ticking = ["on", "joining"].includes(event.detail.state); });
document.addEventListener("console:clock", (event) => { skew = Date.parse(event.detail.now) - Date.now(); });

setClocks(document);
setInterval(tick, 1000);
