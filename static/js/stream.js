// The stream: whether it is there, and what the page says of it. Everyone else listens for console:stream.
const status = document.querySelector("[data-live]");
const pauseButton = document.querySelector("[data-pause]");
const stale = document.querySelector("[data-stale]");
const blink = 2_000; // a stream that is back by then was never lost: tabs and servers come and go
const silence = 12_000; // the server speaks every five seconds
const look = 15_000; // without a stream, look this often: proxies may hold it back for ever

let paused = false;
let lost = null; // {at: milliseconds, clock: what the page says}
let heardAt = Date.now();

const say = (name, detail) => document.dispatchEvent(new CustomEvent(`console:${name}`, { detail }));

function clock() {
  const timeZone = document.documentElement.dataset.zone === "local" ? undefined : "UTC";
  const parts = { hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "short" };
  return new Date().toLocaleTimeString("en-GB", { ...parts, timeZone });
}

function state() {
  if (lost) return Date.now() - lost.at < blink ? "joining" : "lost";
  return paused ? "paused" : "on";
}

function show() {
  const words = { lost: `Lost, since ${lost?.clock}`, joining: "Joining again", paused: "Paused", on: "Live" };
  status.dataset.live = state();
  if (status.textContent !== words[state()]) status.textContent = words[state()];
  pauseButton.textContent = paused ? "Resume" : "Pause";
  pauseButton.setAttribute("aria-pressed", String(paused));
  mark(state() === "lost");
  say("stream", { state: state(), paused });
}

// What is on the page is of then, whatever the page looks like: said where nobody can miss it.
function mark(isStale) {
  const text = isStale ? `Not live: this is how it was at ${lost.clock}. Trying again.` : "";
  if (stale.textContent !== text) stale.textContent = text;
  stale.hidden = !isStale;
}

function lose() {
  lost ??= { at: Date.now(), clock: clock() };
  show();
}

function join() {
  const again = lost !== null;
  lost = null;
  heardAt = Date.now();
  show();
  if (again) say("missed");
}

function rejoin(event) {
  if (event.detail.connection.attempt > 0 && !document.hidden) lose();
}

// Whether the database answers, the server says: what comes while it does not is no news.
function hear(event) {
  if (event.detail.message.event === "live:lost") {
    lose();
    return;
  }
  heardAt = Date.now();
  if (lost) join();
}

function watch() {
  if (document.hidden) return;
  if (lost) show();
  else if (Date.now() - heardAt > silence) lose();
}

function poll() {
  if (!lost || document.hidden) return;
  say("missed");
  if (!status._htmx?.sse) htmx.process(status, true); // the first connection failed, so htmx has stopped trying
}

if (status) {
  status.addEventListener("htmx:sse:before:connection", rejoin);
  status.addEventListener("htmx:sse:after:connection", join);
  status.addEventListener("htmx:sse:before:message", hear);
  for (const name of ["htmx:sse:error", "htmx:error", "htmx:response:error"]) status.addEventListener(name, lose);
  status.addEventListener("live:beat", (event) => say("clock", { now: event.detail.data }));
  pauseButton.addEventListener("click", () => {
    paused = !paused;
    show();
  });
  setInterval(watch, 1000);
  setInterval(poll, look);
}
