import { lookup, Resolver } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import * as http from 'node:http';
import * as https from 'node:https';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Semaphore } from '#concurrency';
import { ToolError } from '#tool-call';
import { isPublicAddress } from './public-address.js';

const redirectsMax = 3;
const connectMs = 5_000;
/** Of one question to a DNS server; it is asked twice. */
const dnsTimeoutMs = 2_000;
const atOnce = { limitPerKey: 16, limit: 96 };
const headerBytesMax = 16 * 1024;
const ports = ['80', '443', '8080', '8443'];
const portsText = `${ports.slice(0, -1).join(', ')} or ${ports.at(-1)}`;
const decoders: Record<string, () => NodeJS.ReadWriteStream> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

export interface FetchRequest {
  /** Who fetches: organizations take turns, so that slow servers of one do not keep the others waiting. */
  organizationId: string;
  url: string;
  accept: string;
  /** Counted after decompression. */
  bytesMax: number;
  /** Milliseconds for everything, redirects included. */
  deadlineMs?: number;
}

/** A request to post; a redirect is an answer like any other. */
export interface PostRequest {
  url: string;
  body: string;
  headers: Record<string, string>;
  deadlineMs: number;
}

/** A document as it was found; `url` after redirects. */
export interface Fetched {
  url: string;
  contentType: string;
  body: Buffer;
}

export interface PublicFetcherOptions {
  /** `host:port` that may be reached beside public addresses. */
  allowed: ReadonlySet<string>;
  /** DNS servers, `ip` or `ip:port`; empty for the machine's. */
  dnsServers?: readonly string[];
  /** All addresses of a name; for tests of names that change. */
  resolve?: (host: string) => Promise<LookupAddress[]>;
}

/** A body over the limit; the server itself was a public one. */
export class BodyTooLarge extends Error {}
/** An address that is never contacted; the message names the problem. */
export class AddressForbidden extends Error {}
/** Any other failure; callers do not get it, so that they cannot scan ports through this process. */
class NotFetched extends Error {}

/**
 * Fetches only what the public internet can reach, and nothing from this process's own network. Names are resolved
 * once, every address must be public, and the connection goes to the checked address. Each redirect is checked like the
 * first. Neither cookies nor credentials are sent.
 */
export class PublicFetcher {
  readonly #turns = new Semaphore(atOnce);

  constructor(private readonly options: PublicFetcherOptions) {}

  /** Returns the problem of an address that is never contacted, regardless of DNS; null when it may be contacted. */
  problemOf(text: string): string | null {
    try {
      this.#assertAskable(readUrl(text));
      return null;
    } catch (error) {
      if (error instanceof AddressForbidden) return error.message;
      throw error;
    }
  }

  /** @throws ToolError URL_NOT_FETCHABLE with one text for every cause; BodyTooLarge */
  async fetch(request: FetchRequest): Promise<Fetched> {
    try {
      return await this.#inTurn(request.organizationId, request.deadlineMs ?? 15_000, (signal) =>
        this.#follow(request, signal),
      );
    } catch (error) {
      if (error instanceof BodyTooLarge) throw error;
      throw new ToolError('URL_NOT_FETCHABLE', {}, { cause: error });
    }
  }

  /**
   * Posts to an address under the same guard; the answer's body is not read, and callers bound the number of their
   * posts.
   * @throws ToolError URL_NOT_FETCHABLE when no address is allowed or none answers; its cause is AddressForbidden where
   * that stays so
   */
  async post({ url: text, body, headers, deadlineMs }: PostRequest): Promise<{ status: number }> {
    const signal = AbortSignal.timeout(deadlineMs);
    try {
      const url = readUrl(text);
      const addresses = await this.#addresses(url, signal);
      const response = await open(url, addresses, { method: 'POST', headers, body }, signal);
      response.destroy();
      return { status: response.statusCode ?? 0 };
    } catch (error) {
      throw new ToolError('URL_NOT_FETCHABLE', {}, { cause: error });
    }
  }

  /** Waits for the organization's turn; the wait counts in the deadline. */
  async #inTurn<T>(key: string, deadlineMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const deadline = Date.now() + deadlineMs;
    return await this.#turns.run({ key, deadline }, () =>
      work(AbortSignal.timeout(Math.max(1, deadline - Date.now()))),
    );
  }

  async #follow(request: FetchRequest, signal: AbortSignal): Promise<Fetched> {
    let url = readUrl(request.url);
    for (let hop = 0; hop <= redirectsMax; hop++) {
      const answer = await this.#request(url, request, signal);
      if (!(answer instanceof URL)) return { ...answer, url: url.href };
      url = answer;
    }
    throw new NotFetched('too many redirects');
  }

  /** @returns where a redirect leads, or the document */
  async #request(url: URL, request: FetchRequest, signal: AbortSignal): Promise<URL | Omit<Fetched, 'url'>> {
    const addresses = await this.#addresses(url, signal);
    const asked = { method: 'GET', headers: { accept: request.accept, 'accept-encoding': 'gzip, deflate, br' } };
    const response = await open(url, addresses, asked, signal);
    try {
      const { statusCode = 0, headers } = response;
      if ([301, 302, 303, 307, 308].includes(statusCode)) return readUrl(headers.location ?? '', url);
      if (statusCode < 200 || statusCode > 299) throw new NotFetched(`status ${statusCode}`);
      const body = await readBody(response, request.bytesMax, signal);
      return { contentType: headers['content-type'] ?? '', body };
    } finally {
      response.destroy();
    }
  }

  /** @throws AddressForbidden for what no answer of the DNS can change */
  #assertAskable(url: URL): void {
    if (this.#isAllowed(url)) return;
    if (url.port !== '' && !ports.includes(url.port)) throw new AddressForbidden(`the port must be ${portsText}`);
    const host = hostOf(url);
    if (isIP(host) !== 0 && !isPublicAddress(host)) throw new AddressForbidden('the address must be a public one');
  }

  #isAllowed({ protocol, hostname, port }: URL): boolean {
    return this.options.allowed.has(`${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`);
  }

  /** An allowed name may be in the machine's own list of hosts only, and not in DNS. */
  async #resolve(
    name: string,
    { allowed, signal }: { allowed: boolean; signal: AbortSignal },
  ): Promise<LookupAddress[]> {
    const found = await addressesOf(name, this.options.dnsServers ?? [], signal);
    return found.length === 0 && allowed ? await lookup(name, { all: true }) : found;
  }

  async #addresses(url: URL, signal: AbortSignal): Promise<LookupAddress[]> {
    this.#assertAskable(url);
    const [host, allowed] = [hostOf(url), this.#isAllowed(url)];
    const family = isIP(host);
    const resolve = this.options.resolve ?? ((name: string) => this.#resolve(name, { allowed, signal }));
    const found = family === 0 ? await untilAborted(resolve(host), signal) : [{ address: host, family }];
    const refused = !allowed && found.some(({ address }) => !isPublicAddress(address));
    if (found.length === 0 || refused) throw new NotFetched('address');
    return found;
  }
}

/** All addresses that DNS has of a name. Not by `lookup`, which keeps one of the process's few threads while it waits. */
async function addressesOf(name: string, servers: readonly string[], signal: AbortSignal): Promise<LookupAddress[]> {
  const resolver = new Resolver({ timeout: dnsTimeoutMs, tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  signal.removeEventListener('abort', cancel);
  const of = (answer: PromiseSettledResult<string[]>, family: number) =>
    answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
  return [...of(v4, 4), ...of(v6, 6)];
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

function readUrl(text: string, base?: URL): URL {
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new AddressForbidden('it must begin with http or https');
  if (url.username || url.password) throw new AddressForbidden('it must hold no user name or password');
  return url;
}

const untilAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = () => reject(new NotFetched('too slow'));
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });

function open(
  url: URL,
  addresses: LookupAddress[],
  { method, headers, body }: { method: string; headers: Record<string, string>; body?: string },
  signal: AbortSignal,
): Promise<http.IncomingMessage> {
  const checked: LookupFunction = (_host, { all }, done) => {
    if (all) done(null, addresses);
    else done(null, addresses[0]!.address, addresses[0]!.family);
  };
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const asked = request(url, {
      agent: false,
      lookup: checked,
      signal,
      maxHeaderSize: headerBytesMax,
      method,
      headers: { ...headers, 'user-agent': 'Tidings' },
    });
    const connecting = setTimeout(() => asked.destroy(new NotFetched('no connection')), connectMs);
    asked.on('socket', (socket) => socket.on('connect', () => clearTimeout(connecting)));
    asked.on('close', () => clearTimeout(connecting));
    asked.on('response', resolve).on('error', reject).end(body);
  });
}

async function readBody(response: http.IncomingMessage, bytesMax: number, signal: AbortSignal): Promise<Buffer> {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const decoder = encoding === 'identity' || encoding === '' ? null : decoders[encoding]?.();
  if (decoder === undefined) throw new NotFetched('encoding');
  const source: NodeJS.ReadableStream = decoder ? response.pipe(decoder) : response;
  // A connection that ends early ends the decoder's input without an error of its own.
  const broken = new Promise<never>((_resolve, reject) => {
    response.on('error', reject).on('aborted', () => reject(new NotFetched('cut off')));
  });
  broken.catch(() => undefined);
  const pieces: Buffer[] = [];
  let bytes = 0;
  const reading = (async () => {
    for await (const piece of source) {
      bytes += piece.length;
      if (bytes > bytesMax) throw new BodyTooLarge();
      pieces.push(piece as Buffer);
    }
    if (!response.complete) throw new NotFetched('cut off');
    return Buffer.concat(pieces);
  })();
  return await untilAborted(Promise.race([reading, broken]), signal);
}
