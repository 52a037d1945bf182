// Runs before the first paint: the two things a browser remembers are its theme and its time zone.
const root = document.documentElement;

function recall(name) {
  try { return localStorage.getItem(`watchfloor.${name}`); } catch { return null; }
}

function remember(name, value) {
  try { localStorage.setItem(`watchfloor.${name}`, value); } catch { /* private windows forget, and that is fine */ }
}

function show(name, fallback) {
  const value = recall(name) ?? fallback;
  if (value === "system") delete root.dataset[name];
  else root.dataset[name] = value;
  for (const choice of document.querySelectorAll(`[data-${name}-choice]`)) {
    choice.setAttribute("aria-pressed", String(choice.dataset[`${name}Choice`] === value));
  }
}

const preferences = { theme: "system", zone: "utc" };

root.dataset.js = "";
for (const [name, fallback] of Object.entries(preferences)) show(name, fallback);

document.addEventListener("DOMContentLoaded", () => {
  for (const [name, fallback] of Object.entries(preferences)) show(name, fallback);
});

document.addEventListener("click", (event) => {
  for (const [name, fallback] of Object.entries(preferences)) {
    const choice = event.target.closest(`[data-${name}-choice]`);
    if (!choice) continue;
    remember(name, choice.dataset[`${name}Choice`]);
    show(name, fallback);
    document.dispatchEvent(new CustomEvent(`console:${name}`));
  }
});
