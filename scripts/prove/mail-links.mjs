/**
 * The addresses in the HTML part of a mail, and that of one-click unsubscription; '' for none.
 * @param {string} raw
 * @returns {{ links: string[], images: string[], unsubscribe: string }}
 */
export function linksOf(raw) {
  const unfolded = raw
    .replace(/=\r?\n/g, '')
    .replace(/=3D/g, '=')
    .replace(/\r?\n[ \t]/g, ' ');
  const all = (/** @type {RegExp} */ pattern) => [...unfolded.matchAll(pattern)].map(([, link]) => String(link));
  return {
    links: all(/href="(https?:\/\/[^"]*)"/g),
    images: all(/<img[^>]*src="(https?:\/\/[^"]*)"/g),
    unsubscribe: /List-Unsubscribe: *<(https?:[^>]*)>/i.exec(unfolded)?.[1] ?? '',
  };
}
