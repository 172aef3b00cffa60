import { ToolError } from '../envelope/tool-error.js';

/**
 * Names that ICU has beside IANA's. Most are abbreviations that mean something else to the database (IST) or to most
 * people (BST is Dhaka's time to ICU).
 */
const foreign = new Set(
  'ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST'.split(' '),
);
const isForeign = (name: string): boolean => foreign.has(name.toUpperCase()) || /^systemv\//i.test(name);

/**
 * The IANA name of a time zone as it is stored: in its usual case, links (Asia/Kolkata) under their own name.
 * @throws ToolError TIMEZONE_UNKNOWN for anything else, offsets such as +02:00 and abbreviations included
 */
export function timezoneNamed(name: string): string {
  const usual = /^[a-z]/i.test(name) && !isForeign(name) ? resolve(name) : null;
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
