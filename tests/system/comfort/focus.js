// Tab goes the way of the eye: down, and to the right; what has the focus shows it, and nothing lies over where it begins.
const STOPS = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]";
const APART = ".skip, .rail, :popover-open"; // lies where it lies, whatever is beside it
const faults = [];
const scope = document.querySelector("dialog[open]") ?? document;
const chosen = (element) => element.type !== "radio" || element.checked || ![...document.getElementsByName(element.name)].some((each) => each.checked);
const stops = [...scope.querySelectorAll(STOPS)].filter((each) => each.tabIndex >= 0 && !each.disabled && shown(each) && chosen(each));
const drawn = (element) => { const { boxShadow, borderColor, backgroundColor } = getComputedStyle(element); return boxShadow + borderColor + backgroundColor; };
const before = new Map(stops.map((each) => [each, drawn(each)]));

for (const [place, element] of stops.entries()) {
  if (element.tabIndex > 0) faults.push(`out of turn: ${named(element)}`);
  const last = stops[place - 1];
  if (!last || last.closest(APART) || element.closest(APART) || last.closest("tr, li") === element.closest("tr, li, html")) continue;
  const [from, to] = [last.getBoundingClientRect(), element.getBoundingClientRect()];
  const beside = Math.min(from.bottom, to.bottom) - Math.max(from.top, to.top) > 4;
  if (to.bottom <= from.top + 2 && to.left < from.right - 2) faults.push(`back up: ${named(last)} to ${named(element)}`);
  if (beside && to.right <= from.left + 2) faults.push(`back left: ${named(last)} to ${named(element)}`);
}

// Backwards, so that each comes into view at the top, where something sticky may lie
for (const element of stops.reverse()) {
  element.focus({ focusVisible: true });
  if (document.activeElement !== element) { faults.push(`cannot have the focus: ${named(element)}`); continue; }
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  if ((outlineStyle === "none" || parseFloat(outlineWidth) < 2) && drawn(element) === before.get(element)) faults.push(`no ring: ${named(element)}`);
  if (document.querySelector(":popover-open")) continue; // lies over the page until it is closed
  const box = element.getClientRects()[0];
  const top = document.elementFromPoint(Math.max(box.left, 0) + Math.min(box.width / 2, 8), (box.top + box.bottom) / 2);
  if (!top || !(element.contains(top) || top.contains(element) || top.closest("label")?.contains(element))) faults.push(`covered: ${named(element)} by ${top ? named(top) : "nothing"}`);
}
document.activeElement?.blur();
scrollTo(0, 0);
return stops.length ? faults : ["nothing can have the focus"];
