import { SYSTEM_LINKS, isVariable, splitText } from './variable.js';
import type { TagChange, Text, TextPart } from './variable.js';

export interface LinkTarget {
  parts: Text;
  tag: TagChange | null;
}

const SCHEMES = ['http', 'https', 'mailto', 'tel', 'sms'];
/** Longest name of a tag, as the calls that make one have it. */
const TAG_LENGTH_MAX = 64;
const DOMAIN_LIKE = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,}(?::\d{1,5})?(?:[/?#]|$)/u;
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(colon|tab|newline|sol));?/giu;
const NAMED: Record<string, string> = { colon: ':', tab: '\t', newline: '\n', sol: '/' };

const decodeEntity = (decimal?: string, hex?: string, name?: string): string => {
  if (name !== undefined) return NAMED[name.toLowerCase()] ?? '';
  const code = decimal === undefined ? parseInt(hex ?? '0', 16) : Number(decimal);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
};

/** Undoes every spelling behind which a scheme can hide: entities, percent signs, full-width letters, invisible characters. */
const plainSpelling = (written: string): string =>
  written
    .replace(ENTITY, (_all, decimal?: string, hex?: string, name?: string) => decodeEntity(decimal, hex, name))
    .replace(/%([\da-f]{2})/giu, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    .normalize('NFKC')
    .replace(/[\p{C}\p{Z}\s]/gu, '');

/** Editors encode the braces of a variable; NUL and line ends never belong to an address. */
const tidy = (written: string): string =>
  written
    .replace(
      /%7B%7B((?:(?!%7B%7B).)*?)%7D%7D/giu,
      (_all, inner: string) => `{{${inner.replace(/%20/gu, ' ').replace(/%7C/giu, '|')}}}`,
    )
    .replace(/\p{Cc}/gu, '')
    .trim();

const schemeOf = (plain: string): string | null => {
  const found = /^([a-z][a-z\d+.-]*):(\d*)/iu.exec(plain);
  if (!found || (found[1]!.includes('.') && found[2] !== '')) return null;
  return found[1]!.toLowerCase();
};

const hasLongTag = (part: TextPart): boolean =>
  typeof part === 'object' &&
  'tag' in part &&
  [...(part.tag.add ?? []), ...(part.tag.remove ?? [])].some(({ length }) => length > TAG_LENGTH_MAX);

/**
 * Says why a link or image address must not be stored, or null. Refuses every scheme but http, https, mailto, tel and
 * sms (for images: http and https), however it is spelled, a user name before the host, and names that no tag may have.
 */
export const addressProblem = (written: string, kind: 'link' | 'image'): string | null => {
  const allowed = kind === 'link' ? SCHEMES : SCHEMES.slice(0, 2);
  const parts = splitText(tidy(written));
  for (const part of parts) {
    if (hasLongTag(part)) return `a tag has at most ${TAG_LENGTH_MAX} characters`;
    const fallback = isVariable(part) ? part.fallback : null;
    if (fallback !== null && parts[0] === part) {
      const problem = addressProblem(fallback, kind);
      if (problem !== null) return problem;
    }
  }
  const plain = plainSpelling(
    parts.map((part) => (typeof part === 'string' ? part : 'tag' in part ? '' : '{}')).join(''),
  );
  const scheme = schemeOf(plain);
  if (scheme !== null && !allowed.includes(scheme)) {
    return `"${scheme}:" is not allowed in ${kind === 'link' ? 'a link' : 'an image'}; use ${allowed.join(', ')}`;
  }
  return /^https?:[\\/]*[^\\/?#]*@/iu.test(plain) ? 'a user name before the host is not allowed' : null;
};

const isSystemLink = (text: Text): boolean => typeof text[0] === 'object' && SYSTEM_LINKS.includes(text[0].variable);

/**
 * Reads an `href` or `src`. `https://{{unsubscribeUrl}}` is `{{unsubscribeUrl}}`; `example.com/shop` is given its
 * `https://`; an address that `addressProblem` refuses leads nowhere (`#`).
 */
export const readTarget = (written: string, kind: 'link' | 'image' = 'link'): LinkTarget => {
  if (addressProblem(written, kind) !== null) return { parts: ['#'], tag: null };
  const tag: TagChange = {};
  const parts: Text = [];
  for (const part of splitText(tidy(written))) {
    if (typeof part === 'string' || isVariable(part)) parts.push(part);
    else if ('tag' in part) {
      if (part.tag.add) tag.add = [...(tag.add ?? []), ...part.tag.add];
      if (part.tag.remove) tag.remove = [...(tag.remove ?? []), ...part.tag.remove];
    }
  }
  if (/^https?:\/\/$/iu.test(String(parts[0])) && isSystemLink(parts.slice(1))) parts.shift();
  if (typeof parts[0] === 'string') {
    parts[0] = parts[0].trimStart();
    if (parts[0].startsWith('//')) parts[0] = `https:${parts[0]}`;
    // A host alone is no image: `logo.png` is a file.
    else if (DOMAIN_LIKE.test(parts[0]) && (kind === 'link' || parts[0].includes('/')))
      parts[0] = `https://${parts[0]}`;
  }
  return { parts: parts.filter((part) => part !== ''), tag: tag.add || tag.remove ? tag : null };
};

export const isSystemTarget = ({ parts }: LinkTarget): boolean => isSystemLink(parts);

export const isUnsubscribeTarget = ({ parts }: LinkTarget): boolean =>
  typeof parts[0] === 'object' && parts[0].variable === 'unsubscribeUrl';

/** Whether clicks on a target can be counted: web addresses, addresses from a variable, and tag links. */
export const isTrackable = (target: LinkTarget): boolean => {
  if (isSystemTarget(target)) return false;
  if (target.parts.length === 0) return target.tag !== null;
  return typeof target.parts[0] === 'object' || /^https?:\/\//iu.test(target.parts[0]!);
};

/** Encodes what would end an address or an attribute, and leaves the rest as the author wrote it. */
export const encodeAddress = (address: string): string =>
  address.replace(/[\s"<>`\\^{|}\p{Cc}]/gu, (character) => encodeURIComponent(character));

const WEB_ADDRESS = /^https?:\/\/(?![^/?#\\]*@)[^/?#\s\\]/iu;
const OTHER_ADDRESS = /^(?:mailto|tel|sms):[^\s]/iu;

/**
 * Makes an address of a recipient's value; null unless it is http(s), mailto, tel or sms, or looks like a domain.
 * @param scheme the one that the author wrote before it (`https://`)
 */
export const addressFromValue = (value: string, scheme: string): string | null => {
  const text = value.replace(/[\p{Cc}\p{Cf}]/gu, '').trim();
  if (WEB_ADDRESS.test(text) || OTHER_ADDRESS.test(text)) return encodeAddress(text);
  return DOMAIN_LIKE.test(text) && !/^[^/?#]*@/u.test(text) ? encodeAddress(scheme + text) : null;
};
