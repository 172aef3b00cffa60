import type { Registry } from 'prom-client';
import { observedGauges } from '#observability';
import type { BacklogRepository } from './backlog.repository.js';

/** Serves what waits for a person or for DNS. */
export function observeBacklog(registry: Registry, backlog: BacklogRepository): void {
  observedGauges(
    registry,
    {
      tidings_approvals_pending: 'Calls that a person must let through',
      tidings_domain_check_delay_seconds: 'How long the first check of a domain is over its time',
    },
    async () => {
      const { approvals, latenessSeconds } = await backlog.get();
      return { tidings_approvals_pending: approvals, tidings_domain_check_delay_seconds: latenessSeconds };
    },
  );
}
