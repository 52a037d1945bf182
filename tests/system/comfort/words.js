// What somebody hears who does not see the page: where they are, what its parts are, and that something changed.
const faults = [];
const only = (selector) => { const found = [...document.querySelectorAll(selector)].filter(shown); if (found.length !== 1) faults.push(`${found.length} of ${selector}`); };
const STATUS = ["[data-live][role=status]", "[data-stale][role=status]", "[data-held][role=status]", "#toasts[aria-live=polite]"];
const CLOCK = /\b\d\d:\d\d(:\d\d)?\b/;

only("main");
if (!document.querySelector("dialog[open]")) only("h1");
if (document.querySelector(".shell")) for (const selector of STATUS) if (document.querySelectorAll(selector).length !== 1) faults.push(`not one ${selector}`);
for (const nav of document.querySelectorAll("nav")) if (!nav.getAttribute("aria-label")) faults.push(`a nav without a name: ${named(nav)}`);
for (const time of document.querySelectorAll("main time:not(.chart time)")) if (!/ (UTC|[A-Z]{3,5}|GMT[+-]\d+)$/.test(time.title)) faults.push(`a time without its zone: ${named(time)}`);

// An hour that is no time element follows neither the clock of the reader nor the switch
const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const { parentElement, data } = texts.currentNode;
  if (CLOCK.test(data) && !parentElement.closest("time, code, pre, kbd, textarea, .mono, script, .tree, [data-told]")) faults.push(`an hour that is only text: ${data.trim().slice(0, 60)}`);
}
return faults;
