import { isReservedFieldName } from '#contracts';
import type { Issue } from '#contracts';
import { findCountryCode } from '#country';
import { emailKey, isDisposableDomain, isRoleAddress, parseAddress } from '#email-address';
import type { ParsedAddress } from '#email-address';
import { ToolError } from '#tool-call';
import { cleanLine, cleanText, isPlain, nameKey } from '../text/text.js';

export interface Address {
  /** As typed, letters composed. */
  email: string;
  /** The identity of the mailbox. */
  emailKey: string;
  isRole: boolean;
  isDisposable: boolean;
}

/** The caller's data of a subscriber beside the address, cleaned; undefined keeps a value, null clears it. */
export interface Profile {
  name: string | null | undefined;
  phone: string | null | undefined;
  /** ISO 3166-1 alpha-2, or XK. */
  country: string | null | undefined;
  ip: string | null | undefined;
  /** Values by field name; null clears. */
  fields: ReadonlyMap<string, string | null>;
  tags: readonly string[];
}

export type ProfileInput = Address & Profile;

export interface ProfileArgs {
  name?: string | null | undefined;
  phone?: string | null | undefined;
  tags?: readonly string[] | undefined;
  fields?: Readonly<Record<string, string | number | boolean | null>> | undefined;
  country?: string | undefined;
  ipAddress?: string | undefined;
}

/** Why a person cannot be saved; `name` is of the field that cannot be one. */
export type ProfileRefusal =
  | { problem: 'EMAIL_INVALID'; issue: Issue }
  | { problem: 'FIELD_RESERVED'; name: string }
  | { problem: 'COUNTRY_UNKNOWN'; country: string };

/** The error of a refused profile; an unknown country is placed at its parameter. */
export function refusalOf(refusal: Exclude<ProfileRefusal, { problem: 'EMAIL_INVALID' }>): ToolError {
  if (refusal.problem === 'FIELD_RESERVED') return new ToolError('FIELD_RESERVED', { name: refusal.name });
  const issues = [{ path: ['country'], message: 'is not the code or name of one country' }];
  return new ToolError('COUNTRY_UNKNOWN', { country: refusal.country }, { issues });
}

type Refused = { ok: false; refusal: ProfileRefusal };

const unseenAround = /^[\p{Cc}\p{Cf}\p{Cs}\s]+|[\p{Cc}\p{Cf}\p{Cs}\s]+$/gu;
const unseen = /[\p{Cc}\p{Cf}\p{Cs}]/u;

/**
 * Reads an address without the invisible marks around it, which pasted lists carry. Within an address they are refused,
 * since without them it is another one; a joiner that is a letter of the domain stays (RFC 5892, Appendix A.1).
 */
function parseUnmarked(text: string): ParsedAddress {
  const plain = isPlain(text) ? text : text.replace(unseenAround, '');
  const parsed = parseAddress(plain);
  if (!parsed.ok && unseen.test(plain)) {
    return { ok: false, reason: 'has invisible characters within it, such as a line break, a tab or a soft hyphen' };
  }
  if (parsed.ok && !parsed.address.asciiDomain.includes('.'))
    return { ok: false, reason: 'has a domain without a dot' };
  return parsed;
}

export function addressOf(text: string): { ok: true; address: Address } | Refused {
  const parsed = parseUnmarked(text);
  if (!parsed.ok) {
    const issue = { path: ['email'], message: `the address ${parsed.reason}` };
    return { ok: false, refusal: { problem: 'EMAIL_INVALID', issue } };
  }
  const { address } = parsed;
  return {
    ok: true,
    address: {
      email: `${address.local}@${address.domain.normalize()}`,
      emailKey: emailKey(address),
      isRole: isRoleAddress(address),
      isDisposable: isDisposableDomain(address.asciiDomain),
    },
  };
}

/** A value as text; a number without an exponent, since numbers are compared as they are written. */
const textOf = (value: string | number | boolean): string =>
  typeof value === 'number' && /e/.test(String(value))
    ? value.toLocaleString('en', { useGrouping: false, maximumSignificantDigits: 21 })
    : String(value);

export function profileOf(args: ProfileArgs): { ok: true; profile: Profile } | Refused {
  const fields = new Map<string, [name: string, value: string | null]>();
  for (const [name, value] of Object.entries(args.fields ?? {})) {
    const clean = cleanLine(name);
    if (clean === null || isReservedFieldName(clean))
      return { ok: false, refusal: { problem: 'FIELD_RESERVED', name } };
    fields.set(nameKey(clean), [clean, value === null ? null : cleanText(textOf(value))]);
  }
  const country = args.country === undefined ? undefined : findCountryCode(args.country);
  if (country === null) return { ok: false, refusal: { problem: 'COUNTRY_UNKNOWN', country: args.country! } };
  const line = (text: string | null | undefined) => (text ? cleanLine(text) : text === undefined ? undefined : null);
  return {
    ok: true,
    profile: {
      name: line(args.name),
      phone: line(args.phone),
      country,
      ip: args.ipAddress,
      fields: new Map(fields.values()),
      tags: (args.tags ?? []).flatMap((tag) => cleanLine(tag) ?? []),
    },
  };
}

export function parseProfile(args: ProfileArgs & { email: string }): { ok: true; person: ProfileInput } | Refused {
  const read = addressOf(args.email);
  if (!read.ok) return read;
  const rest = profileOf(args);
  return rest.ok ? { ok: true, person: { ...read.address, ...rest.profile } } : rest;
}
