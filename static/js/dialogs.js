// Dialogs, toasts and copying. A sheet that arrives in #dialog opens it; a sheet that was accepted closes it.
const dialog = document.getElementById("dialog");

// What came is emptied at once: the close event comes later, and a region that is drawn in between would open it again.
function shut(each) {
  each.close();
  if (each === dialog) each.replaceChildren();
}

function showToast(text) {
  const toast = document.createElement("div");
  toast.className = "toast";
  toast.setAttribute("role", "alert");
  toast.dataset.toast = "12";
  toast.textContent = text;
  document.getElementById("toasts").append(toast);
}

const refusals = {
  401: "You are signed out. Sign in again to go on.",
  403: "Your role may not do that.",
  404: "That is no longer here.",
  409: "Someone was faster. The page shows it as it is now.",
  429: "Too many tries. Wait a moment.",
};

document.addEventListener("htmx:before:swap", (event) => {
  const { ctx } = event.detail;
  const { status } = ctx.response ?? {};
  if (!(status >= 400) || status === 422 || ctx.hx?.retarget || ctx.sourceElement?.matches("[data-region], [data-live]")) return;
  event.preventDefault();
  showToast(refusals[status] ?? `The server could not do it (${status}). Nothing more is known.`);
});

document.addEventListener("htmx:after:swap", (event) => {
  const { ctx } = event.detail;
  if (!dialog) return;
  if (dialog.childElementCount && !dialog.open && dialog.querySelector(".sheet")) {
    dialog.setAttribute("aria-label", dialog.querySelector("h1")?.textContent ?? "Dialog");
    dialog.showModal();
    dialog.querySelector("[autofocus], .pad :is(input:checked, input:not([type=hidden]), select, textarea), footer .button:last-child")?.focus();
  } else if (ctx.request?.method !== "GET" && ctx.response?.status < 400 && ctx.request?.form?.closest("dialog") === dialog) {
    shut(dialog);
  }
});

document.addEventListener("htmx:error", (event) => {
  const source = event.detail.ctx?.sourceElement;
  if (!source || source.matches("[data-region], [data-live]")) return;
  showToast("No answer from the server. Look before you try again.");
});

// Whoever fills in what belongs to a choice has made it.
document.addEventListener("input", (event) => {
  const radio = event.target.closest(".choice")?.querySelector("input[type=radio]");
  if (radio && radio !== event.target) radio.checked = true;
});

// What opened the dialog may be gone by now; then the page has the focus, and not the first link of all.
dialog?.addEventListener("cancel", (event) => {
  event.preventDefault();
  shut(dialog);
});

dialog?.addEventListener("close", () => {
  const holder = document.activeElement;
  if (!holder || holder === document.body || holder.matches(".skip")) document.getElementById("main").focus({ preventScroll: true });
});

document.addEventListener("click", async (event) => {
  const closer = event.target.closest("[data-close]");
  if (closer?.closest("dialog")) {
    event.preventDefault();
    shut(closer.closest("dialog"));
  }
  event.target.closest("[data-dismiss]")?.closest(".toast").remove();

  const copier = event.target.closest("[data-copy]");
  if (!copier) return;
  await navigator.clipboard.writeText(copier.dataset.copy);
  copier.dataset.copied = "";
  setTimeout(() => delete copier.dataset.copied, 1200);
});

setInterval(() => {
  for (const toast of document.querySelectorAll("[data-toast]")) {
    if (toast.matches(":hover, :focus-within")) continue;
    toast.dataset.toast = String(Number(toast.dataset.toast) - 1);
    if (Number(toast.dataset.toast) < 0) toast.remove();
  }
}, 1000);
