/** Allowed targets of a click, a second line of defence, since targets are sealed by this installation. */
const allowed = /^(?:https?:\/\/|mailto:|tel:|sms:)/i;

/** A target in the form of a Location header; null for one that is not allowed. */
export function redirectTarget(target: string): string | null {
  if (!allowed.test(target)) return null;
  return target.replace(/[^\x21-\x7e]+/gu, (text) => encodeURIComponent(text));
}
