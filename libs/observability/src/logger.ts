import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import { traceparent } from './tracing.js';

export type { Logger };

/** Levels for an operator who follows one message and needs its address. */
const withAddresses = new Set(['trace', 'debug']);

const secrets: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|")/g, '[secret]'],
  // User and password of an address of a server.
  [/(?<=:\/\/)[^\s"'/@]+(?=@)/g, '[secret]'],
  [/(?<=\b(?:Bearer|Basic) )[^\s"\\]+/gi, '[secret]'],
  // API tokens, keys, tokens of links, hashes of any: none of our words and ids is this long.
  [/[0-9A-Za-z]{40,}/g, '[secret]'],
];
/** In any script (RFC 6531); a path such as node_modules/@scope has nothing before its at sign. */
const address = /[^\s"'<>()[\]{},:;=\\/@]+@[\p{L}\p{N}](?:[\p{L}\p{N}.-]*[\p{L}\p{N}])?/gu;

/** Takes addresses and secrets out of a line: the one place where that is done. */
export function scrub(line: string, { addresses }: { addresses: boolean }): string {
  let clean = line;
  for (const [secret, instead] of secrets) clean = clean.replace(secret, instead);
  return addresses && clean.includes('@') ? clean.replace(address, '[address]') : clean;
}

const causesMax = 5;

/** Of an error what says where and why, not what it was about: errors of databases carry whole rows and parameters. */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack, code, cause, errors } = error as Error & { code?: unknown; errors?: unknown[] };
  return {
    type: name,
    message,
    stack,
    ...(code !== undefined && { code }),
    ...(cause !== undefined && depth < causesMax && { cause: describeError(cause, depth + 1) }),
    ...(Array.isArray(errors) && { errors: errors.map(String) }),
  };
}

/**
 * A structured logger: JSON lines with the service's name, and the id of the trace where one is made. No secrets are
 * written; addresses only at `debug` and `trace`.
 * @param level pino's level name; `silent` for none
 * @param destination the standard output, unless a test wants to read
 */
export function createLogger(service: string, level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service },
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: (error: unknown) => describeError(error) },
    mixin: () => {
      const trace = traceparent();
      return trace === undefined ? {} : { traceId: trace.slice(3, 35) };
    },
    hooks: { streamWrite: (line: string) => scrub(line, { addresses: !withAddresses.has(level) }) },
    redact: ['authorization', 'password', 'secret', 'privateKeyPem', 'token'].flatMap((name) => [name, `*.${name}`]),
  };
  return destination ? pino(options, destination) : pino(options);
}
