// Keys, never while typing: / search, j k rows, x tick, r c act, p pause, ? help, Esc back out.
const help = document.getElementById("keys");
const typing = (element) => element.matches?.("input:not([type=checkbox], [type=radio]), select, textarea, [contenteditable]");
const rows = () => [...document.querySelectorAll("[data-rows] > *")].filter((row) => row.querySelector("a[href]"));
const currentRow = () => document.activeElement?.closest("[data-rows] > *");

function move(step) {
  const list = rows();
  const at = list.indexOf(currentRow());
  const next = list[at < 0 ? (step > 0 ? 0 : list.length - 1) : Math.min(Math.max(at + step, 0), list.length - 1)];
  next?.querySelector("a[href]").focus({ focusVisible: true, preventScroll: true });
  next?.scrollIntoView({ block: "nearest" });
}

// The selection comes before the row, the row before the page.
function press(key) {
  const row = document.querySelector("[data-select]:checked") ? null : currentRow();
  const inRow = row?.querySelector(`[data-key=${key}]:not(:disabled)`);
  const onPage = [...document.querySelectorAll(`[data-key=${key}]:not(:disabled)`)].find((control) => !control.closest("[data-rows]"));
  (inRow ?? onPage)?.click();
}

function tick(shiftKey) {
  const click = new MouseEvent("click", { bubbles: true, cancelable: true, shiftKey });
  currentRow()?.querySelector("[data-select]")?.dispatchEvent(click);
}

const acts = {
  "/": () => document.querySelector("[data-search]")?.focus(),
  j: () => move(1),
  k: () => move(-1),
  x: (event) => tick(event.shiftKey),
  r: () => press("r"),
  c: () => press("c"),
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
  const act = acts[event.key] ?? acts[event.key.toLowerCase()];
  if (!act) return;
  event.preventDefault();
  act(event);
});
