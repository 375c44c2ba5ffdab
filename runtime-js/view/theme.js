// Light or dark: as the system has it, until somebody switches. The choice is kept where the browser lets a file keep one.
const PLACE = 'lmthing-view-theme';

export function restoreTheme() {
  try {
    const kept = localStorage.getItem(PLACE);
    if (kept === 'light' || kept === 'dark') document.documentElement.dataset.theme = kept;
  } catch {
    // No storage for files here.
  }
}

export function switchTheme() {
  const { dataset } = document.documentElement;
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const theme = (dataset.theme ?? system) === 'dark' ? 'light' : 'dark';
  // Who is back at what the system has, follows the system.
  if (theme === system) delete dataset.theme;
  else dataset.theme = theme;
  try {
    if (theme === system) localStorage.removeItem(PLACE);
    else localStorage.setItem(PLACE, theme);
  } catch {
    // As above.
  }
}
