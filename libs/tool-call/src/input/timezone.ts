import { ToolError } from '../envelope/tool-error.js';

/**
 * The IANA name of a time zone as it is stored: in its usual case, links (Asia/Kolkata) under their own name.
 * @throws ToolError TIMEZONE_UNKNOWN for anything else, offsets such as +02:00 included
 */
export function timezoneNamed(name: string): string {
  const usual = /^[a-z]/i.test(name) ? resolve(name) : null;
  if (usual === null) throw new ToolError('TIMEZONE_UNKNOWN', { timezone: name });
  return usual.toLowerCase() === name.toLowerCase() ? usual : name;
}

function resolve(name: string): string | null {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}
