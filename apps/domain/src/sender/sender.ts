import type { z } from 'zod';
import type { sender, SenderFacts } from '#contracts';

/** A configured from-address. */
export type Sender = z.infer<typeof sender>;

/** A sender as the tools show it, without what only a message needs. */
export const publicSender = ({ domainId: _i, domainStatus: _s, mailFromDomain: _m, ...shown }: SenderFacts): Sender =>
  shown;
