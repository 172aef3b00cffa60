import type { QueryClient } from '@tanstack/react-query';
import type { ToolName } from '#client';
import { staleAfter } from './stale.calls.js';
import { reportToTabs } from './other-tabs.js';
import { currentOrganization } from './session.js';

/** Makes reads stale in the organization of the address, here and in other tabs; what is seen is read again at once. */
export async function refresh(client: QueryClient, tools: readonly ToolName[]): Promise<void> {
  const named: ReadonlySet<unknown> = new Set(tools);
  const organization = currentOrganization();
  if (organization !== null && tools.length > 0) reportToTabs({ kind: 'stale', organization, tools });
  await client.invalidateQueries({
    predicate: ({ queryKey }) => queryKey[0] === organization && named.has(queryKey[1]),
  });
}

export async function makeStale(client: QueryClient, tool: ToolName): Promise<void> {
  const reads = (staleAfter as Partial<Record<ToolName, readonly ToolName[]>>)[tool] ?? [];
  await refresh(client, reads);
}
