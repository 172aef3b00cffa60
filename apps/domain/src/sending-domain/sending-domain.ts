import type { z } from 'zod';
import type { domainStatus, sendingDomain } from '#contracts';

export type DomainStatus = z.infer<typeof domainStatus>;

/** A domain that an organization sends from, and how far its owner has proved it. */
export interface SendingDomain {
  id: string;
  /** Lower-case ASCII. */
  domain: string;
  /** Made by the system and verified from the start; no DNS knows it. */
  sandbox: boolean;
  status: DomainStatus;
  dkim: DomainStatus;
  mailFrom: DomainStatus;
  /** Where bounces go. */
  mailFromDomain: string;
  createdAt: string;
}

/** The sandbox domain of an organization: one each, by its number. */
export const sandboxDomain = (organizationNumber: number, suffix: string): string =>
  `org${organizationNumber}.${suffix}`;

/** Bounces have a name of their own below the domain, so that its owner's other mail keeps its MX. */
export const mailFromDomainOf = (domain: string): string => `bounce.${domain}`;

/** A domain as the tools show it. No DNS knows a sandbox domain, so it has no records to publish. */
export const publicDomain = ({ mailFromDomain: _m, ...shown }: SendingDomain): z.infer<typeof sendingDomain> => ({
  ...shown,
  records: [],
});
