// On a narrow screen the pages lie in one line: bring the current one into view.
// Once the fonts are there, for they move everything in it.
document.fonts.ready.then(() => {
  document.querySelector(".nav-item[aria-current=page]")?.scrollIntoView({ block: "nearest", inline: "center", behavior: "instant" });
});
