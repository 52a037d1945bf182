// Keys, never while typing: / search, j k rows, h l lists, x tick, p pause, ? help, Esc back out; any other letter presses
// what has it as its data-key.
const help = document.getElementById("keys");
const typing = (element) => element.matches?.("input:not([type=checkbox], [type=radio]), select, textarea, [contenteditable]");
const rows = () => [...document.querySelectorAll("[data-rows] > *")].filter((row) => row.querySelector("a[href]")?.checkVisibility());
const currentRow = () => document.activeElement?.closest("[data-rows] > *");
const openRow = () => document.querySelector("[data-opens] [aria-current]")?.closest("[data-rows] > *");

function focus(row) {
  row?.querySelector("a[href]").focus({ focusVisible: true, preventScroll: true });
  row?.scrollIntoView({ block: "nearest" });
}

function move(step) {
  const list = rows();
  const at = list.indexOf(currentRow() ?? openRow());
  focus(list[at < 0 ? (step > 0 ? 0 : list.length - 1) : Math.min(Math.max(at + step, 0), list.length - 1)]);
}

function cross(step) {
  const lists = [...document.querySelectorAll("[data-rows]")];
  const at = lists.indexOf((currentRow() ?? openRow())?.parentElement);
  const list = lists[Math.min(Math.max(at + step, 0), lists.length - 1)];
  focus(rows().find((row) => row.parentElement === list));
}

// The selection comes before the row, the row before the page. What a row leads to is opened before the page's own
// controls act on it: no key acts on what is not shown.
function press(key) {
  const control = `[data-key="${key}"]:not(:disabled)`;
  const row = document.querySelector("[data-select]:checked") ? null : currentRow();
  const unopened = row?.closest("[data-opens]") && row.querySelector("a[href]:not([aria-current])");
  const onPage = [...document.querySelectorAll(control)].find((each) => !each.closest("[data-rows]"));
  const pressed = row?.querySelector(control) ?? (onPage && unopened) ?? onPage;
  pressed?.click();
  return Boolean(pressed);
}

function tick(shiftKey) {
  const click = new MouseEvent("click", { bubbles: true, cancelable: true, shiftKey });
  currentRow()?.querySelector("[data-select]")?.dispatchEvent(click);
}

const acts = {
  "/": () => document.querySelector("[data-search]")?.focus(),
  j: () => move(1),
  k: () => move(-1),
  l: () => cross(1),
  h: () => cross(-1),
  x: (event) => tick(event.shiftKey),
  p: () => document.querySelector("[data-pause]")?.click(),
  "?": () => help?.showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    if (document.querySelector("dialog[open]")) return;
    if (document.activeElement !== document.body) document.activeElement.blur();
    document.dispatchEvent(new CustomEvent("console:clear"));
    return;
  }
  if (event.metaKey || event.ctrlKey || event.altKey || typing(event.target) || document.querySelector("dialog[open]")) return;
  const key = event.key.toLowerCase();
  const act = acts[event.key] ?? acts[key];
  if (act) act(event);
  else if (!/^[a-z]$/.test(key) || !press(key)) return;
  event.preventDefault();
});
