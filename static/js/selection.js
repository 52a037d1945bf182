// Ticked rows: kept by value across redraws, counted on the buttons they feed.
const chosen = new Map(); // name of the selection -> values ticked
let last = null; // the box a shift-click ranges from

const boxes = (form) => [...form.querySelectorAll("[data-select]")];
const nameOf = (form) => form.dataset.selection;
const values = (form) => chosen.get(nameOf(form)) ?? chosen.set(nameOf(form), new Set()).get(nameOf(form));
const count = new Intl.NumberFormat("en-US");

function draw(form) {
  const rows = boxes(form);
  const ticked = rows.filter((box) => box.checked);
  const all = form.querySelector("[data-select-all]");
  if (all) {
    all.checked = rows.length > 0 && ticked.length === rows.length;
    all.indeterminate = ticked.length > 0 && !all.checked;
  }
  const matching = form.querySelector("[data-select-matching]");
  if (matching) {
    matching.hidden = !all?.checked;
    if (matching.hidden) matching.querySelector("input").checked = false;
  }
  const everything = form.querySelector("[data-matching]:checked");
  const number = everything ? Number(everything.dataset.matching) : ticked.length;
  for (const button of form.querySelectorAll("[data-verb]")) {
    const acted = number || Number(button.dataset.total ?? 0);
    button.querySelector("[data-verb-label]").textContent = acted ? `${button.dataset.verb} ${count.format(acted)}` : button.dataset.verb;
    button.disabled = acted === 0;
  }
  for (const output of form.querySelectorAll("[data-selected]")) output.textContent = number ? `${count.format(number)} selected` : "";
}

function restore() {
  for (const form of document.querySelectorAll("form[data-selection]")) {
    const kept = values(form);
    for (const box of boxes(form)) box.checked = kept.has(box.value);
    draw(form);
  }
}

function set(form, rows, on) {
  const kept = values(form);
  for (const box of rows) {
    box.checked = on;
    if (on) kept.add(box.value);
    else kept.delete(box.value);
  }
  draw(form);
}

function between(form, from, to) {
  const rows = boxes(form);
  const [start, end] = [rows.indexOf(from), rows.indexOf(to)].sort((a, b) => a - b);
  return start < 0 ? [to] : rows.slice(start, end + 1);
}

document.addEventListener("click", (event) => {
  const box = event.target;
  if (!(box instanceof HTMLInputElement) || !box.matches("form[data-selection] input[type=checkbox]")) return;
  const form = box.form;
  if (box.matches("[data-select-all]")) set(form, boxes(form), box.checked);
  else if (box.matches("[data-select]")) {
    set(form, event.shiftKey && last?.isConnected ? between(form, last, box) : [box], box.checked);
    last = box;
  } else draw(form);
});

document.addEventListener("console:clear", () => {
  for (const form of document.querySelectorAll("form[data-selection]")) set(form, boxes(form), false);
  document.dispatchEvent(new Event("change", { bubbles: true }));
});

document.addEventListener("htmx:after:swap", restore);
restore();
