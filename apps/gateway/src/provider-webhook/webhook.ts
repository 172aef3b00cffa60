import { createHash, timingSafeEqual } from 'node:crypto';
import { traceLengthMax } from '#contracts';
import type { ProviderReport } from '#contracts';

export interface WebhookRequest {
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  now: Date;
}

/** `mail`: a bounce as a mail; `confirm`: an address that must be requested once. */
export type WebhookContent =
  | { kind: 'reports'; reports: ProviderReport[] }
  | { kind: 'mail'; raw: Buffer }
  | { kind: 'confirm'; url: string };

/** Checks a provider's signature, then reads its request. @returns null for a signature that is not the provider's */
export type Webhook = (request: WebhookRequest) => Promise<WebhookContent | null>;

/** An older signature is a replay; the margin allows for clock differences and for retries of the provider. */
export const signatureAgeMaxMs = 10 * 60_000;

export function sameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** Whether a request carries `user:password` (RFC 7617). */
export function hasBasicSecret({ headers }: WebhookRequest, expected: string): boolean {
  const [, given] = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(String(headers.authorization ?? '')) ?? [];
  return given !== undefined && sameSecret(Buffer.from(given, 'base64').toString('utf8'), expected);
}

export interface JsonReader {
  at(...path: (string | number)[]): JsonReader;
  text(): string | null;
  list(): JsonReader[];
}

/** Wraps JSON; missing values and those of another type read as null or empty. */
export const loose = (value: unknown): JsonReader => ({
  at: (...path) =>
    loose(
      path.reduce<unknown>(
        (inner, key) =>
          typeof inner === 'object' && inner !== null ? (inner as Record<string | number, unknown>)[key] : undefined,
        value,
      ),
    ),
  text: () => (typeof value === 'string' ? value : typeof value === 'number' ? String(value) : null),
  list: () => (Array.isArray(value) ? value.map(loose) : []),
});

/** @throws SyntaxError for invalid JSON */
export const looseJson = (text: string): JsonReader => loose(JSON.parse(text));

const textLengthMax = 2_000;
/** A server's reply, truncated, without characters that database text cannot hold. */
export const wordsOf = (...texts: (string | null)[]): string =>
  texts
    .filter((text) => text !== null && text !== '')
    .join(' ')
    .replaceAll('\0', ' ')
    .slice(0, textLengthMax);

/** Truncates the identifiers of a report: one that is too long must not block the others of its request. */
export function truncate(report: ProviderReport): ProviderReport {
  const cut = (text: string | null) => text?.slice(0, traceLengthMax) ?? null;
  const { returnPath, messageId, address } = report;
  return { ...report, returnPath: cut(returnPath), messageId: cut(messageId), address: cut(address) };
}

/** An enhanced status code (RFC 3463); null for an empty text or a reply code. */
export const enhancedCodeIn = (text: string | null): string | null =>
  /^\s*([245]\.\d{1,3}\.\d{1,3})\b/.exec(text ?? '')?.[1] ?? null;
