const cells = 24;

/** A bar for a share from 0 to 1, with the percentage. */
export function progressBar(share: number): string {
  const bounded = Math.min(1, Math.max(0, share));
  const full = Math.floor(bounded * cells);
  return `[${'#'.repeat(full)}${'.'.repeat(cells - full)}] ${Math.floor(bounded * 100)} %`;
}

/** Seconds as a rough duration, such as `45 s`, `3 min` or `1 h 20 min`. */
export function durationText(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
