import type { Registry } from 'prom-client';
import { observedGauges } from '#observability';
import type { BacklogRepository } from './backlog.repository.js';

export function observeBacklog(registry: Registry, backlog: BacklogRepository): void {
  observedGauges(
    registry,
    {
      tidings_exports_pending: 'Exports that have not ended',
      tidings_exports_oldest_seconds: 'Age of the oldest of them',
    },
    async () => {
      const { exports, oldestSeconds } = await backlog.get();
      return { tidings_exports_pending: exports, tidings_exports_oldest_seconds: oldestSeconds };
    },
  );
}
