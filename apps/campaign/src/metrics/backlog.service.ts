import type { Registry } from 'prom-client';
import { observedGauges } from '#observability';
import type { BacklogRepository } from './backlog.repository.js';

export function observeBacklog(registry: Registry, backlog: BacklogRepository): void {
  observedGauges(
    registry,
    {
      tidings_campaign_delay_seconds: 'Delay of the earliest scheduled campaign that has not started',
      tidings_campaigns_starting: 'Campaigns that are starting and not yet accepted by delivery',
    },
    async () => {
      const { latenessSeconds, starting } = await backlog.get();
      return { tidings_campaign_delay_seconds: latenessSeconds, tidings_campaigns_starting: starting };
    },
  );
}
