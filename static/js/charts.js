// Charts of one time range: what the pointer rests on in one of them, the others say of the same time.
function pointed(target) {
  const slot = target instanceof Element ? target.closest(".chart .slots > *") : null;
  const group = slot?.closest("[data-charts]");
  if (!group) return [];
  const place = [...slot.parentElement.children].indexOf(slot);
  return [...group.querySelectorAll(".chart .slots")].map((slots) => slots.children[place]);
}

document.addEventListener("pointerover", ({ target }) => {
  const now = pointed(target);
  for (const slot of document.querySelectorAll(".chart .slots > [data-at]")) if (!now.includes(slot)) slot.removeAttribute("data-at");
  for (const slot of now) slot?.setAttribute("data-at", "");
});
