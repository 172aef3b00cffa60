import type { Client } from '#bus';
import { deliverabilityTools } from '#contracts';
import type { domainTools } from '#contracts';
import type { CallContext } from '#service-host';
import { implement } from '#tool-call';
import { judgeContent, judgeDomains, judgeUnsubscribing } from './deliverability-signals.js';
import { rateHealth, ratesOf, trustOf } from './deliverability.js';
import { DeliverabilityRepository } from './deliverability.repository.js';

const contentsJudged = 5;
const dayMs = 24 * 3600 * 1000;

export interface DeliverabilityDependencies {
  domains: Client<typeof domainTools>;
  recipientTtlSeconds: number;
}

export const implementHealthTools = (
  { manager }: CallContext,
  { domains: domain, recipientTtlSeconds }: DeliverabilityDependencies,
) =>
  implement(deliverabilityTools, {
    get_deliverability_health: async ({ sinceDays }, caller) => {
      const { organizationId, now } = caller;
      const health = new DeliverabilityRepository(manager);
      const midnight = Math.floor(now.getTime() / dayMs) * dayMs;
      const from = sinceDays === undefined ? null : new Date(midnight - sinceDays * dayMs).toISOString();
      const [{ domains }, counts, contents] = await Promise.all([
        domain.list_domains({}, caller),
        health.count(organizationId, from?.slice(0, 10) ?? null),
        health.listContents(organizationId, contentsJudged),
      ]);
      const signals = [
        ...rateHealth(counts),
        ...judgeDomains(domains, now),
        judgeUnsubscribing(recipientTtlSeconds),
        judgeContent(contents),
      ];
      if (sinceDays === undefined || from === null) return { ...trustOf(counts, signals), signals };
      const window = { sinceDays, from, to: now.toISOString() };
      return { window, ...counts, rates: ratesOf(counts), verdicts: signals };
    },
  });
