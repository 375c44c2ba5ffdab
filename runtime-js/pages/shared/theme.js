// Light or dark: the system's theme until the user switches. The choice is stored where the browser allows it for
// files.
const PLACE = 'lmthing-view-theme';

export function restoreTheme() {
  try {
    const kept = localStorage.getItem(PLACE);
    if (kept === 'light' || kept === 'dark') document.documentElement.dataset.theme = kept;
  } catch {
    // No storage for files in this browser.
  }
}

export function switchTheme() {
  const { dataset } = document.documentElement;
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const theme = (dataset.theme ?? system) === 'dark' ? 'light' : 'dark';
  // Choosing the system's theme follows the system again.
  if (theme === system) delete dataset.theme;
  else dataset.theme = theme;
  try {
    if (theme === system) localStorage.removeItem(PLACE);
    else localStorage.setItem(PLACE, theme);
  } catch {
    // No storage for files in this browser.
  }
}
