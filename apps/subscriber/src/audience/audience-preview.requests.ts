import { audiencePreviewRequests } from '#contracts';
import type { Sql } from '#database';
import { implement } from '#tool-call';
import type { AudienceDependencies } from './audience.requests.js';
import { AudiencePreviewRepository } from './audience-preview.repository.js';

export const implementAudiencePreview = ({ manager }: { manager: Sql }, { engine, counting }: AudienceDependencies) =>
  implement(audiencePreviewRequests, {
    preview_audience: async ({ filters, examples }, caller) => {
      const { organizationId } = caller;
      const plan = await engine.plan(caller, filters, { from: 'store' });
      const where = await engine.conditionOf(caller, plan);
      const previews = new AudiencePreviewRepository(manager);
      const { total, excluded, domains, domainTotal } = await counting.run(caller, () =>
        previews.count(organizationId, where),
      );
      const hasExamples = examples > 0 && Object.keys(excluded).length > 0;
      const shown = hasExamples ? await previews.listExcluded(organizationId, where, examples) : [];
      return {
        total,
        excluded: Object.entries(excluded)
          .map(([reason, count]) => ({
            reason,
            count,
            examples: shown
              .filter((one) => one.reason === reason)
              .map(({ subscriberId, email }) => ({ subscriberId, email })),
          }))
          .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1)),
        destinations: { domains, total: domainTotal },
        warnings: plan.warnings(),
      };
    },
  });
