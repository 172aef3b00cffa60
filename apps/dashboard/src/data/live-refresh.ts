import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type { ToolName } from '#client';

/** What comes within this time is read again together. */
const gatherMs = 500;
/** Reads that take longer are repeated at most this often. */
const slowMs = 3_000;

/**
 * Makes reads stale that events name: those of a second or less together, and only what is seen is read again at once. A tab
 * in the background reads when it is looked at.
 */
export class LiveRefresh {
  readonly #stale = new Map<number, Set<ToolName>>();
  #isAllStale = false;
  readonly #slow = new Map<number, Set<ToolName>>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #slowTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(private readonly client: QueryClient) {}

  /** Makes reads of an organization stale. @param organization its number */
  reads(organization: number, tools: readonly ToolName[]): void {
    add(this.#stale, organization, tools);
    this.#soon();
  }

  /** The same for events that come each second: the reads are repeated every three seconds at most, and after the last. */
  readsSlowly(organization: number, tools: readonly ToolName[]): void {
    add(this.#slow, organization, tools);
    this.#slowTimer ??= setTimeout(() => {
      this.#slowTimer = null;
      for (const [number, slow] of this.#slow) this.reads(number, [...slow]);
      this.#slow.clear();
    }, slowMs - gatherMs);
  }

  everything(): void {
    this.#isAllStale = true;
    this.#soon();
  }

  /** Shows new numbers in what was read before, without another read. */
  show(key: QueryKey, numbers: Record<string, unknown>): void {
    this.client.setQueryData(key, (known: object | undefined) => known && { ...known, ...numbers });
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#slowTimer !== null) clearTimeout(this.#slowTimer);
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => this.#flush(), gatherMs);
  }

  #flush(): void {
    const stale = new Map(this.#stale);
    const isAll = this.#isAllStale;
    this.#timer = null;
    this.#stale.clear();
    this.#isAllStale = false;
    void this.client.invalidateQueries({
      refetchType: document.visibilityState === 'visible' ? 'active' : 'none',
      predicate: ({ queryKey: [organization, tool] }) =>
        // Without an organization: what does not come from a tool.
        organization !== null && (isAll || (stale.get(organization as number)?.has(tool as ToolName) ?? false)),
    });
  }
}

function add(known: Map<number, Set<ToolName>>, organization: number, tools: readonly ToolName[]): void {
  known.set(organization, new Set([...(known.get(organization) ?? []), ...tools]));
}
