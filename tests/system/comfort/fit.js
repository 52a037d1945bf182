// Nothing lies outside of the window or is cut off, unless a box of its own scrolls; no sentence is wider than one reads.
const PRESSED = "a.button, button, select, input:not([type=hidden]), .segmented > *, .chip, summary";
const SENTENCES = "p, dd, .what, .why, .text, .hint";
const MOST = 115; // characters in a line, at half an em each
const faults = [];

if (document.scrollingElement.scrollWidth > innerWidth) faults.push(`the page scrolls sideways: ${document.scrollingElement.scrollWidth} px`);

for (const element of document.querySelectorAll(PRESSED)) {
  if (!shown(element) || element.closest(".sr")) continue;
  const box = element.getBoundingClientRect();
  if (!above(element, overflow("auto", "scroll")) && (box.right > innerWidth + 1 || box.left < -1)) faults.push(`outside: ${named(element)}`);
  if (element.matches("a.button, button") && element.scrollWidth > element.clientWidth + 1) faults.push(`cut off: ${named(element)}`);
  const edge = above(element, overflow("hidden", "clip"))?.getBoundingClientRect();
  if (edge && (box.right > edge.right + 1 || box.left < edge.left - 1)) faults.push(`hidden in part: ${named(element)}`);
}

for (const element of document.querySelectorAll(SENTENCES)) {
  if (!shown(element) || element.closest("pre, .chart, .mono") || element.querySelector("p, ul, table, div, dl, form")) continue;
  const range = document.createRange();
  range.selectNodeContents(element);
  const boxes = [...range.getClientRects()];
  const wide = Math.max(...boxes.map((box) => box.right)) - Math.min(...boxes.map((box) => box.left));
  const characters = wide / (parseFloat(getComputedStyle(element).fontSize) * 0.49);
  if (characters > MOST) faults.push(`${Math.round(characters)} characters in a line: ${named(element)}`);
}
return faults;
