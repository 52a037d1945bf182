// On a narrow screen the pages lie in one line: bring the current one into view.
document.querySelector(".nav-item[aria-current=page]")?.scrollIntoView({ block: "nearest", inline: "center", behavior: "instant" });
