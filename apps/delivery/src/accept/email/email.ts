import type { Args, emailTools, Issue } from '#contracts';
import { emailKey, parseAddress } from '#email-address';
import type { EmailAddress } from '#email-address';
import { summarise, ToolError } from '#tool-call';
import { isCustomHeaderAllowed } from '../../message/custom-header.js';

export type EmailArgs = Args<(typeof emailTools)['calls']['send_email']> & {
  /** The kind of `tiptap`: a document by default; v1 takes Markdown too. */
  contentType?: 'MAILY' | 'MARKDOWN';
};

export interface EmailEnvelope {
  from: EmailAddress;
  to: EmailAddress;
  /** Each mailbox once, and none that is in `to`. */
  cc: EmailAddress[];
  replyTo: EmailAddress;
  headers: { name: string; value: string }[];
}

/** Limits of headers and characters that keep the head of a message below 64 KB in any encoding. */
const headersMax = 100;
const headCharactersMax = 10_000;
const oneOf = (given: string | string[]): string => (Array.isArray(given) ? given[0]! : given);

/**
 * Reads addresses and headers, and checks that there is one content.
 * @throws ToolError PARAMETERS_INVALID with all issues
 */
export function readEnvelope(args: EmailArgs): EmailEnvelope {
  const issues: Issue[] = [...contentIssues(args), ...headerIssues(args.headers ?? {})];
  const read = (path: Issue['path'], text: string): EmailAddress | null => {
    const parsed = parseAddress(text);
    if (parsed.ok) return parsed.address;
    issues.push({ path, message: `the address ${parsed.reason}` });
    return null;
  };
  const from = read(['from'], args.from);
  const to = read(['to'], oneOf(args.to));
  const cc = (args.cc ?? []).map((text, index) => read(['cc', index], text));
  const replies = (['reply_to', 'replyTo'] as const).flatMap((name) => {
    const given = args[name];
    return given === undefined ? [] : (read([name], oneOf(given)) ?? []);
  });
  if (new Set(replies.map(emailKey)).size > 1) {
    issues.push({ path: ['replyTo'], message: 'names another address than reply_to; send only one of them' });
  }
  if (headCharacters(args) > headCharactersMax) {
    const message = `addresses and headers have more than ${headCharactersMax} characters in all`;
    issues.push({ path: ['headers'], message });
  }
  if (issues.length > 0 || !from || !to) {
    throw new ToolError('PARAMETERS_INVALID', { summary: summarise(issues) }, { issues });
  }
  const others = new Map(cc.map((address) => [emailKey(address!), address!]));
  others.delete(emailKey(to));
  const headers = Object.entries(args.headers ?? {}).map(([name, value]) => ({ name, value }));
  return { from, to, cc: [...others.values()], replyTo: replies[0] ?? from, headers };
}

function contentIssues({ html, tiptap }: EmailArgs): Issue[] {
  if ((html === undefined) !== (tiptap == null)) return [];
  const message = html === undefined ? 'html or tiptap is required' : 'send either html or tiptap, not both';
  return [{ path: ['html'], message }];
}

function headerIssues(headers: Record<string, string>): Issue[] {
  const entries = Object.entries(headers);
  if (entries.length > headersMax) return [{ path: ['headers'], message: `are more than ${headersMax}` }];
  const seen = new Set<string>();
  return entries.flatMap(([name, value]) => {
    const path = ['headers', name];
    const twice = seen.has(name.toLowerCase());
    seen.add(name.toLowerCase());
    if (!isCustomHeaderAllowed(name)) return { path, message: 'is malformed, or written by Tidings itself' };
    if (twice) return { path, message: 'stands there twice; case does not count' };
    return /[\p{Cc}\u2028\u2029]/u.test(value) ? { path, message: 'must be one line without control characters' } : [];
  });
}

const headCharacters = ({ from, to, cc = [], reply_to, replyTo, headers = {} }: EmailArgs): number =>
  [from, to, ...cc, reply_to ?? '', replyTo ?? '', ...Object.entries(headers).flat()].flat().join('').length;
