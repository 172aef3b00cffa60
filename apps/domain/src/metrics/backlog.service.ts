import type { Registry } from 'prom-client';
import { observedGauges } from '#observability';
import type { BacklogRepository } from './backlog.repository.js';

export function observeBacklog(registry: Registry, backlog: BacklogRepository): void {
  observedGauges(
    registry,
    {
      tidings_approvals_pending: 'Calls that wait for the approval of a person',
      tidings_domain_check_delay_seconds: 'Delay of the oldest due check of a domain',
    },
    async () => {
      const { approvals, latenessSeconds } = await backlog.get();
      return { tidings_approvals_pending: approvals, tidings_domain_check_delay_seconds: latenessSeconds };
    },
  );
}
