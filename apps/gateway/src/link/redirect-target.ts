/** Where a click may lead. Targets are sealed by ourselves; this is the second lock. */
const allowed = /^(?:https?:\/\/|mailto:|tel:|sms:)/i;

/** A target as a Location header can hold it, or null for one that leads nowhere. */
export function redirectTarget(target: string): string | null {
  if (!allowed.test(target)) return null;
  return target.replace(/[^\x21-\x7e]+/gu, (text) => encodeURIComponent(text));
}
