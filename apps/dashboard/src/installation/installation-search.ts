import * as z from 'zod/mini';

/** What of the operators' pages stands in the address: the number of the organization as whose admin they ask. */
export const installationSearch = z.object({ organization: z.optional(z.int().check(z.positive())) });

export const services = ['domain', 'subscriber', 'campaign', 'workflow', 'delivery'] as const;
export type Service = (typeof services)[number];

/** The same for the dead letters, of one service. */
export const deadLetterSearch = z.extend(installationSearch, { service: z.optional(z.enum(services)) });
