import { inUse, missing, reason } from './reason.js';

export const domainReasons = {
  DOMAIN_NOT_FOUND: missing('sending domain', 'list_domains'),
  WEB_DOMAIN_NOT_FOUND: missing('web domain', 'list_web_domains'),
  DOMAIN_INVALID: reason<{ domain: string; problem: string }>(
    'VALIDATION_ERROR',
    ({ domain, problem }) => `"${domain}" ${problem}. Use a domain such as example.org, without scheme, port or path.`,
  ),
  DOMAIN_EXISTS: reason<{ domain: string; domainId: string }>(
    'CONFLICT',
    ({ domain, domainId }) =>
      `${domain} is already a domain of this organization (${domainId}). Use get_domain_dns_records for its records.`,
  ),
  DOMAIN_TAKEN: reason<{ domain: string }>(
    'CONFLICT',
    ({ domain }) =>
      `${domain} is verified by another organization of this installation. It becomes available 72 hours after that organization's records leave DNS.`,
  ),
  WEB_DOMAIN_EXISTS: reason<{ hostname: string; webDomainId: string | null }>(
    'CONFLICT',
    ({ hostname, webDomainId }) =>
      `${hostname} is already a web domain of ${webDomainId ? `this organization (${webDomainId})` : 'another organization'}.`,
  ),
  DOMAIN_IN_USE: inUse<{ name: string }>('sending domain'),
  DOMAIN_SANDBOX: reason<{ domain: string }>(
    'CONFLICT',
    ({ domain }) => `${domain} is the sandbox domain of the organization. It cannot be deleted.`,
  ),
  SENDER_IN_USE: inUse<{ name: string }>('sender'),
  SENDER_EXISTS: reason<{ email: string; senderId: string }>(
    'CONFLICT',
    ({ email, senderId }) => `${email} is already a sender (${senderId}). Local parts are compared without case.`,
  ),
  SENDER_LOCAL_PART_INVALID: reason<{ localPart: string }>(
    'VALIDATION_ERROR',
    ({ localPart }) =>
      `"${localPart}" is not a valid local part of a sender. Use at most 64 ASCII letters, digits and signs such as . - _ +. A dot cannot be first, last or doubled.`,
  ),
  SENDER_REPLY_TO_INVALID: reason<{ replyTo: string; problem: string }>(
    'VALIDATION_ERROR',
    ({ replyTo, problem }) => `replyTo must be one address such as ada@example.org; "${replyTo}" ${problem}.`,
  ),
  ORGANIZATION_NOT_FOUND: reason<{ id: string }>('NOT_FOUND', ({ id }) => `There is no organization "${id}".`),
  DEAD_LETTER_NOT_FOUND: missing('dead letter', 'list_dead_letters'),
  TOKEN_NOT_FOUND: missing('token'),
  CELL_UNKNOWN: reason<{ cell: string; cells: readonly string[] }>('VALIDATION_ERROR', ({ cell, cells }) =>
    cells.length > 0
      ? `There is no cell "${cell}". Besides the home cell, there are ${cells.join(', ')}.`
      : `There is no cell "${cell}". This installation has only its home cell; set CELLS to add others.`,
  ),
};
