// The rail: its counts come with the stream; on a narrow screen the pages lie in one line, and so do tabs.
let counts = null;
let paused = false;

function put(item, [count, alarm] = [null, false]) {
  const shown = item.querySelector(".count");
  if (count === null) return shown?.remove();
  const place = shown ?? item.appendChild(Object.assign(document.createElement("span"), { className: "count" }));
  if (place.textContent !== count) place.textContent = count;
  place.toggleAttribute("data-alarm", alarm);
}

function show() {
  if (paused || counts === null) return;
  for (const item of document.querySelectorAll(".nav-item[data-nav]")) put(item, counts[item.dataset.nav]);
}

document.addEventListener("live:nav", (event) => {
  counts = JSON.parse(event.detail.data);
  show();
});

document.addEventListener("console:stream", (event) => {
  paused = event.detail.paused;
  show();
});

// Bring the current page and tab into view; once the fonts are there, for they move everything in the line.
document.fonts.ready.then(() => {
  document.querySelector(".nav-item[aria-current=page]")?.scrollIntoView({ block: "nearest", inline: "center", behavior: "instant" });
  for (const tab of document.querySelectorAll(".segmented > [aria-current]")) {
    const line = tab.parentElement;
    line.scrollLeft = tab.offsetLeft - line.offsetLeft - (line.clientWidth - tab.offsetWidth) / 2;
  }
});
