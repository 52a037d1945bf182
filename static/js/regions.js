// Live regions refetch themselves when the stream names their topic; what came is shown unless a person is using the region.
const notice = document.querySelector("[data-held]");
const waiting = new Map(); // region -> {rows: how many came that it does not show, more: whether they fill its page}
let forced = new Set(); // regions the operator asked to see now
let paused = false;
let pointer = { target: null, at: 0 };

const open = "dialog[open], details[open]:not([data-steady]), :popover-open, [data-select]:checked";
const focused = "input:not([type=checkbox], [type=radio]):focus, select:focus, textarea:focus, :focus-visible";
const typed = "input:not([type=checkbox], [type=radio], [type=hidden]), textarea";
const aboutToPress = 2_000; // how long a resting pointer counts for what lies under it
const reads = 30_000; // and how long for the place of its row

const isRegion = (target) => target instanceof Element && target.matches("[data-region]");
const everyRegion = () => [...document.querySelectorAll("[data-region]")];
const rowsOf = (scope) => [...scope.querySelectorAll("[data-rows] > [id]")].map((row) => row.id);
const restedFor = (milliseconds) => Date.now() - pointer.at < milliseconds;

function pointedAt(region) {
  return restedFor(aboutToPress) && region.contains(pointer.target) && pointer.target.closest("a, button, label, summary") !== null;
}

function rowPointedAt(region) {
  return restedFor(reads) && region.contains(pointer.target) ? pointer.target.closest("[data-rows] > [id]") : null;
}

function reading(region) {
  const selected = getSelection();
  return selected !== null && !selected.isCollapsed && region.contains(selected.anchorNode);
}

function halfTyped(region) {
  return [...region.querySelectorAll(typed)].some((field) => field.value !== field.defaultValue);
}

function held(region) {
  if (paused || document.querySelector("#dialog[open]")) return true;
  return region.querySelector(`${open}, ${focused}`) !== null || reading(region) || halfTyped(region) || pointedAt(region);
}

// The row under the pointer stays where it is: nothing above it may come or go.
function moves(region, fragment) {
  const row = rowPointedAt(region);
  if (row === null) return false;
  const [before, after] = [rowsOf(region), rowsOf(fragment)];
  const above = before.indexOf(row.id) + 1;
  return before.slice(0, above).join() !== after.slice(0, above).join();
}

function fresh(region, fragment) {
  const [before, after] = [new Set(rowsOf(region)), rowsOf(fragment)];
  const rows = after.filter((id) => !before.has(id)).length;
  return { rows, more: rows > 0 && rows === after.length && before.size > 0 };
}

function show() {
  const counts = [...waiting.values()];
  const rows = counts.reduce((sum, count) => sum + count.rows, 0);
  const text = rows ? `Updates held · ${rows}${counts.some((count) => count.more) ? " or more" : ""} new` : "Updates held";
  const place = notice.querySelector("[data-held-text]");
  if (place.textContent !== text) place.textContent = text;
  notice.hidden = waiting.size === 0;
}

function refresh(regions) {
  for (const region of regions) {
    waiting.delete(region);
    if (region.isConnected) region.dispatchEvent(new CustomEvent("live:refresh"));
  }
  show();
}

function release() {
  const free = [...waiting.keys()].filter((region) => !region.isConnected || !(held(region) || rowPointedAt(region)));
  if (free.length) refresh(free);
}

function beforeRequest(event) {
  if (isRegion(event.target)) event.detail.ctx.forced = forced.delete(event.target);
}

// What is held is known by now, and so is how much of it is new. An error never takes a region's place.
function beforeSwap(event) {
  const { ctx, tasks } = event.detail;
  const region = event.target;
  if (!isRegion(region) || ctx.sourceElement !== region) return;
  if (ctx.response.status >= 400) return event.preventDefault();
  const fragment = tasks.find((task) => task.type === "main")?.fragment;
  if (ctx.forced || !fragment || !(held(region) || moves(region, fragment))) return waiting.delete(region) && show();
  event.preventDefault();
  waiting.set(region, fresh(region, fragment));
  show();
}

if (notice) {
  document.addEventListener("htmx:before:request", beforeRequest);
  document.addEventListener("htmx:before:swap", beforeSwap);
  document.addEventListener("console:missed", () => refresh(everyRegion()));
  document.addEventListener("console:stream", (event) => {
    paused = event.detail.paused;
    release();
  });
  notice.querySelector("[data-held-show]").addEventListener("click", () => {
    forced = new Set(waiting.keys());
    refresh([...forced]);
  });
  document.addEventListener("pointermove", ({ target }) => { pointer = { target, at: Date.now() }; }, { passive: true });
  document.documentElement.addEventListener("pointerleave", () => { pointer = { target: null, at: 0 }; });
  for (const name of ["change", "focusout", "pointerup", "keyup"]) document.addEventListener(name, () => setTimeout(release));
  for (const name of ["close", "toggle"]) document.addEventListener(name, () => setTimeout(release), true);
  setInterval(release, 1000);
}
