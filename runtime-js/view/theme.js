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
  const isDark = dataset.theme ? dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  dataset.theme = isDark ? 'light' : 'dark';
  try {
    localStorage.setItem(PLACE, dataset.theme);
  } catch {
    // As above.
  }
}
