import type { DomainEvent } from './events.js';

/**
 * What a recipient chose by a link of a message, on its way to the subscriber service. It is kept in the stream
 * `choices` while that service does not answer (RFC 8058 has no second try).
 */
export type Choice = DomainEvent<'unsubscription.requested'>;
