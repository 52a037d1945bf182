// Live regions refetch themselves when the stream names their topic, unless a person is using them.
const notice = document.querySelector("[data-held]");
const waiting = new Map(); // region -> how many new rows were announced while it was held
let forced = new Set(); // regions the operator asked to see now
let paused = false;
let pointer = { target: null, at: 0 };

const open = "dialog[open], details[open]:not([data-steady]), :popover-open, [data-select]:checked";
const focused = "input:not([type=checkbox], [type=radio]):focus, select:focus, textarea:focus, :focus-visible";
const aboutToPress = 2_000; // how long a resting pointer still counts

const isRegion = (target) => target instanceof Element && target.matches("[data-region]");
const everyRegion = () => [...document.querySelectorAll("[data-region]")];

function pointedAt(region) {
  const recent = Date.now() - pointer.at < aboutToPress;
  return recent && region.contains(pointer.target) && pointer.target.closest("a, button, label, summary") !== null;
}

function reading(region) {
  const selected = getSelection();
  return selected !== null && !selected.isCollapsed && region.contains(selected.anchorNode);
}

function held(region) {
  if (paused || document.querySelector("#dialog[open]")) return true;
  return region.querySelector(`${open}, ${focused}`) !== null || reading(region) || pointedAt(region);
}

function show() {
  const fresh = [...waiting.values()].reduce((sum, count) => sum + count, 0);
  notice.hidden = waiting.size === 0;
  notice.querySelector("[data-held-text]").textContent = fresh ? `Updates held · ${fresh} new` : "Updates held";
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

function release() {
  if (waiting.size) refresh([...waiting.keys()].filter((region) => !region.isConnected || !held(region)));
}

function beforeRequest(event) {
  if (!isRegion(event.target)) return;
  const { ctx } = event.detail;
  ctx.forced = forced.delete(event.target);
  if (ctx.forced || !held(event.target)) return;
  event.preventDefault();
  hold(event.target, Number(ctx.sourceEvent?.detail?.data) || 0);
}

// Between asking and hearing back the operator may have begun to use it. An error never takes a region's place.
function beforeSwap(event) {
  const { ctx } = event.detail;
  if (!isRegion(event.target) || ctx.sourceElement !== event.target) return;
  const late = !ctx.forced && held(event.target);
  if (late) hold(event.target);
  if (late || ctx.response.status >= 400) event.preventDefault();
}

if (notice) {
  document.addEventListener("htmx:before:request", beforeRequest);
  document.addEventListener("htmx:before:swap", beforeSwap);
  document.addEventListener("console:missed", () => refresh(everyRegion().filter((region) => !held(region))));
  document.addEventListener("console:stream", (event) => {
    paused = event.detail.paused;
    release();
  });
  notice.querySelector("[data-held-show]").addEventListener("click", () => {
    forced = new Set(waiting.keys());
    refresh([...forced]);
  });
  document.addEventListener("pointermove", ({ target }) => { pointer = { target, at: Date.now() }; }, { passive: true });
  for (const name of ["change", "focusout", "pointerup", "keyup"]) document.addEventListener(name, () => setTimeout(release));
  for (const name of ["close", "toggle"]) document.addEventListener(name, () => setTimeout(release), true);
  setInterval(release, 1000);
}
