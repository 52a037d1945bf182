// What the looks have in common; each is the body of a function that returns what is wrong, in words.
const shown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && element.getClientRects().length > 0;
const above = (element, test) => {
  for (let parent = element.parentElement; parent; parent = parent.parentElement) if (test(parent)) return parent;
  return null;
};
const overflow = (...kinds) => (element) => element !== document.body && kinds.includes(getComputedStyle(element).overflowX);
const told = (element) => (element.getAttribute("aria-label") || element.textContent || element.value || "").trim().replace(/\s+/g, " ").slice(0, 40);
const named = (element) => `${element.localName}.${(element.getAttribute("class") ?? "").trim().replace(/\s+/g, ".")} "${told(element)}"`;
