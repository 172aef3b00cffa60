/** Kept in the browser, since it concerns this screen. */
export type Scheme = 'system' | 'light' | 'dark';

const key = 'tidings.scheme';
const dark = matchMedia('(prefers-color-scheme: dark)');

export function chosenScheme(): Scheme {
  const kept = localStorage.getItem(key);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export function chooseScheme(scheme: Scheme): void {
  if (scheme === 'system') localStorage.removeItem(key);
  else localStorage.setItem(key, scheme);
  show();
}

/** Shows the scheme, and follows the system's from here on. */
export function applyScheme(): void {
  dark.addEventListener('change', show);
  show();
}

function show(): void {
  const chosen = chosenScheme();
  document.documentElement.dataset.scheme = chosen === 'system' ? (dark.matches ? 'dark' : 'light') : chosen;
}
