// Live regions. The stream says what changed; a region refetches itself, unless a person is using it.
const status = document.querySelector("[data-live]");
const pauseButton = document.querySelector("[data-pause]");
const notice = document.querySelector("[data-held]");
const waiting = new Map(); // region -> how many new rows were announced while it was held
let paused = false;
let lost = null; // {at: milliseconds, clock: what the page says}
let heardAt = Date.now();
let pointer = { target: null, at: 0 };

const clockNow = () => new Date().toLocaleTimeString("en-GB", document.documentElement.dataset.zone === "local" ? {} : { timeZone: "UTC" });
const regionOf = (element) => (element instanceof Element ? element.closest("[data-region]") : null);

function inUse(region) {
  if (region.querySelector("dialog[open], details[open]:not([data-steady]), :popover-open, [data-select]:checked")) return true;
  if (region.querySelector("input:focus, select:focus, textarea:focus, :focus-visible")) return true;
  const selected = getSelection();
  if (selected && !selected.isCollapsed && region.contains(selected.anchorNode)) return true;
  return Date.now() - pointer.at < 2000 && region.contains(pointer.target) && pointer.target.closest("a, button, label, summary") !== null;
}

const held = (region) => paused || document.querySelector("#dialog[open]") !== null || inUse(region);

// A stream that comes back within two seconds was never lost: tabs and servers come and go.
function connection() {
  if (lost) return Date.now() - lost.at < 2000 ? "joining" : "lost";
  return paused ? "paused" : "on";
}

function show() {
  const state = connection();
  status.dataset.live = state;
  status.textContent = { lost: `Lost, since ${lost?.clock}`, joining: "Joining again", paused: "Paused", on: "Live" }[state];
  pauseButton.textContent = paused ? "Resume" : "Pause";
  pauseButton.setAttribute("aria-pressed", String(paused));
  const fresh = [...waiting.values()].reduce((sum, count) => sum + count, 0);
  notice.hidden = waiting.size === 0;
  notice.querySelector("[data-held-text]").textContent = `Updates held${fresh ? ` · ${fresh} new` : ""}`;
  document.dispatchEvent(new CustomEvent("console:clock", { detail: { running: state === "on" } }));
}

function hold(region, fresh = 0) {
  waiting.set(region, (waiting.get(region) ?? 0) + fresh);
  show();
}

function refresh(regions) {
  for (const region of regions) {
    waiting.delete(region);
    if (region.isConnected) region.dispatchEvent(new CustomEvent("live:refresh"));
  }
  show();
}

const everyRegion = () => document.querySelectorAll("[data-region]");
const release = () => refresh([...waiting.keys()].filter((region) => !region.isConnected || !held(region)));

function lose() {
  lost ??= { at: Date.now(), clock: clockNow() };
  show();
}

function join() {
  const again = lost !== null;
  lost = null;
  heardAt = Date.now();
  show();
  if (again) refresh([...everyRegion()].filter((region) => !held(region)));
}

function start() {
  let forced = new Set();
  const isRegion = (event) => event.target instanceof Element && event.target.matches("[data-region]");

  document.addEventListener("htmx:before:request", (event) => {
    const region = event.target;
    if (!isRegion(event) || forced.delete(region) || !held(region)) return;
    event.preventDefault();
    hold(region, Number(event.detail.ctx.sourceEvent?.detail?.data) || 0);
  });
  document.addEventListener("htmx:before:swap", (event) => {
    const { ctx } = event.detail;
    if (!isRegion(event) || ctx.sourceElement !== event.target) return;
    if (ctx.response.status >= 400) event.preventDefault();
    else if (held(event.target) && !ctx.forced) { event.preventDefault(); hold(event.target); }
  });
  document.addEventListener("htmx:config:request", (event) => {
    if (isRegion(event) && forced.has(event.target)) event.detail.ctx.forced = true;
  });

  status.addEventListener("htmx:sse:before:connection", (event) => { if (event.detail.connection.attempt > 0 && !document.hidden) lose(); });
  status.addEventListener("htmx:sse:after:connection", join);
  status.addEventListener("htmx:sse:error", lose);
  status.addEventListener("htmx:error", lose);
  status.addEventListener("htmx:response:error", lose);
  status.addEventListener("htmx:sse:before:message", () => { heardAt = Date.now(); if (lost) join(); });
  document.addEventListener("live:beat", (event) => document.dispatchEvent(new CustomEvent("console:clock", { detail: { running: !paused, now: event.detail.data } })));

  pauseButton.addEventListener("click", () => { paused = !paused; show(); release(); });
  notice.querySelector("[data-held-show]").addEventListener("click", () => { forced = new Set(waiting.keys()); refresh([...forced]); });
  document.addEventListener("pointermove", (event) => { pointer = { target: regionOf(event.target) && event.target, at: Date.now() }; }, { passive: true });
  for (const name of ["change", "focusout", "pointerup", "keyup"]) document.addEventListener(name, () => setTimeout(release));
  for (const name of ["close", "toggle"]) document.addEventListener(name, () => setTimeout(release), true);

  setInterval(() => {
    if (document.hidden) return;
    if (waiting.size) release();
    if (lost) show();
    if (Date.now() - heardAt > 40000) lose();
  }, 1000);
  setInterval(() => { // proxies that buffer the stream: look every fifteen seconds instead
    if (!lost || document.hidden) return;
    refresh([...everyRegion()].filter((region) => !held(region)));
    if (!status._htmx?.sse) htmx.process(status, true);
  }, 15000);
}

if (status) start();
