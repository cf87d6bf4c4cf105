// Applies the reader's settings before the first paint; storage that is denied leaves the defaults.

(() => {
  const root = document.documentElement;
  try {
    root.dataset.theme = localStorage.getItem("theme") ?? "auto";
    root.dataset.sound = localStorage.getItem("sound") ?? "off";
    root.dataset.shortcuts = localStorage.getItem("shortcuts") ?? "on";
  } catch {
    root.dataset.storage = "denied";
  }
})();
