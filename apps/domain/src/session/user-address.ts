import { emailKey, parseAddress, wireAddress } from '#email-address';
import { ToolError } from '#tool-call';

/** @throws ToolError PARAMETERS_INVALID */
export function readAddress(email: string): { email: string; emailKey: string } {
  const parsed = parseAddress(email.trim());
  if (!parsed.ok) {
    const message = `The address ${parsed.reason}`;
    throw new ToolError('PARAMETERS_INVALID', { summary: `${message}.` }, { issues: [{ path: ['email'], message }] });
  }
  return { email: wireAddress(parsed.address), emailKey: emailKey(parsed.address) };
}

export const localPartOf = (email: string): string => email.slice(0, email.lastIndexOf('@'));

/** The identity of a typed address; other text is no user's address. */
export function keyOf(email: string): string {
  const parsed = parseAddress(email.trim());
  return parsed.ok ? emailKey(parsed.address) : email.trim().toLowerCase();
}
