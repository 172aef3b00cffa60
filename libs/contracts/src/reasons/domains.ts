import { missing, reason } from './reason.js';

/** Refusals about domains, senders, organizations and tokens. */
export const domainReasons = {
  // Domains and senders
  DOMAIN_NOT_FOUND: missing('sending domain', 'list_domains'),
  WEB_DOMAIN_NOT_FOUND: missing('web domain', 'list_web_domains'),
  DOMAIN_INVALID: reason<{ domain: string; problem: string }>(
    'VALIDATION_ERROR',
    ({ domain, problem }) => `"${domain}" ${problem}. Give a domain such as example.org, without scheme, port or path.`,
  ),
  DOMAIN_EXISTS: reason<{ domain: string; domainId: string }>(
    'CONFLICT',
    ({ domain, domainId }) =>
      `${domain} is a domain of this organization already (${domainId}); get_domain_dns_records tells its records.`,
  ),
  DOMAIN_TAKEN: reason<{ domain: string }>(
    'CONFLICT',
    ({ domain }) =>
      `${domain} is verified by another organization here. It is free again 72 hours after that organization's records have left DNS.`,
  ),
  WEB_DOMAIN_EXISTS: reason<{ hostname: string; webDomainId: string | null }>(
    'CONFLICT',
    ({ hostname, webDomainId }) =>
      `${hostname} is a web domain of ${webDomainId ? `this organization already (${webDomainId})` : 'another organization'}.`,
  ),
  SENDER_EXISTS: reason<{ email: string; senderId: string }>(
    'CONFLICT',
    ({ email, senderId }) => `${email} is a sender already (${senderId}). Local parts are compared without case.`,
  ),
  SENDER_LOCAL_PART_INVALID: reason<{ localPart: string }>(
    'VALIDATION_ERROR',
    ({ localPart }) =>
      `"${localPart}" cannot stand before the @ of a sender: use at most 64 ASCII letters, digits and signs such as . - _ +, with no dot at either end or twice in a row.`,
  ),
  SENDER_REPLY_TO_INVALID: reason<{ replyTo: string; problem: string }>(
    'VALIDATION_ERROR',
    ({ replyTo, problem }) => `replyTo must be one address such as ada@example.org; "${replyTo}" ${problem}.`,
  ),
  // Organizations and tokens (operator's command)
  ORGANIZATION_NOT_FOUND: reason<{ id: string }>('NOT_FOUND', ({ id }) => `There is no organization "${id}".`),
  TOKEN_NOT_FOUND: missing('token'),
  CELL_UNKNOWN: reason<{ cell: string; cells: readonly string[] }>('VALIDATION_ERROR', ({ cell, cells }) =>
    cells.length > 0
      ? `There is no cell "${cell}". The cells beside the home are ${cells.join(', ')}.`
      : `There is no cell "${cell}": this installation has none beside its home. CELLS names them.`,
  ),
};
