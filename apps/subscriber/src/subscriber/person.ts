import { isReservedFieldName } from '#contracts';
import type { Issue } from '#contracts';
import { emailKey, isDisposableDomain, isRoleAddress, parseAddress } from '#email-address';
import { cleanLine, cleanText, nameKey } from '../text/text.js';

/** A person as a caller gives one, checked and cleaned. Undefined keeps what is there, null clears it. */
export interface PersonInput {
  /** As typed. */
  email: string;
  /** The identity of the mailbox. */
  emailKey: string;
  isRole: boolean;
  isDisposable: boolean;
  name: string | null | undefined;
  phone: string | null | undefined;
  country: string | undefined;
  ip: string | undefined;
  /** Values by field name; null clears. */
  fields: ReadonlyMap<string, string | null>;
  tags: readonly string[];
}

/** What callers may say of a person, before it is cleaned. */
export interface PersonArgs {
  email: string;
  name?: string | null | undefined;
  phone?: string | null | undefined;
  tags?: readonly string[] | undefined;
  fields?: Readonly<Record<string, string | number | boolean | null>> | undefined;
  country?: string | undefined;
  ipAddress?: string | undefined;
}

/** Why a person cannot be saved; `reserved` names the field that cannot be one. */
export type PersonRefusal = { problem: 'EMAIL_INVALID'; issue: Issue } | { problem: 'FIELD_RESERVED'; name: string };

/** Checks what schemas cannot, and cleans every text. */
export function personOf(args: PersonArgs): { ok: true; person: PersonInput } | { ok: false; refusal: PersonRefusal } {
  // Pasted lists carry marks that nobody sees.
  const parsed = parseAddress(args.email.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, ''));
  if (!parsed.ok) {
    const issue = { path: ['email'], message: `the address ${parsed.reason}` };
    return { ok: false, refusal: { problem: 'EMAIL_INVALID', issue } };
  }
  const fields = new Map<string, [name: string, value: string | null]>();
  for (const [name, value] of Object.entries(args.fields ?? {})) {
    const clean = cleanLine(name);
    if (clean === null || isReservedFieldName(clean))
      return { ok: false, refusal: { problem: 'FIELD_RESERVED', name } };
    fields.set(nameKey(clean), [clean, value === null ? null : cleanText(String(value))]);
  }
  const { address } = parsed;
  const line = (text: string | null | undefined) => (text ? cleanLine(text) : text === undefined ? undefined : null);
  const person: PersonInput = {
    email: `${address.local}@${address.domain}`,
    emailKey: emailKey(address),
    isRole: isRoleAddress(address),
    isDisposable: isDisposableDomain(address.asciiDomain),
    name: line(args.name),
    phone: line(args.phone),
    country: args.country?.toUpperCase(),
    ip: args.ipAddress,
    fields: new Map(fields.values()),
    tags: (args.tags ?? []).flatMap((tag) => cleanLine(tag) ?? []),
  };
  return { ok: true, person };
}
