// On a narrow screen the pages lie in one line, and so do tabs: bring the current one into view.
// Once the fonts are there, for they move everything in it.
document.fonts.ready.then(() => {
  document.querySelector(".nav-item[aria-current=page]")?.scrollIntoView({ block: "nearest", inline: "center", behavior: "instant" });
  for (const tab of document.querySelectorAll(".segmented > [aria-current]")) {
    const line = tab.parentElement;
    line.scrollLeft = tab.offsetLeft - line.offsetLeft - (line.clientWidth - tab.offsetWidth) / 2;
  }
});
