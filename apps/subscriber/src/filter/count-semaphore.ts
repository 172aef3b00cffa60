import { Semaphore, SemaphoreTimeout } from '#concurrency';
import { ToolError } from '#tool-call';
import type { Caller } from '#tool-call';

/**
 * Bounds concurrent counts, fairly over organizations. A count of a large segment can take seconds; bounded to half the
 * pool, counts leave connections for sends, links and imports.
 */
export class CountSemaphore {
  readonly #semaphore: Semaphore;

  /** @param limit counts that run at a time */
  constructor(limit: number) {
    this.#semaphore = new Semaphore({ limit });
  }

  /** @throws ToolError DEADLINE_EXCEEDED if the caller's deadline passes while the count waits */
  async run<T>(
    { organizationId, deadline }: Pick<Caller, 'organizationId' | 'deadline'>,
    count: () => Promise<T>,
  ): Promise<T> {
    try {
      return await this.#semaphore.run({ key: organizationId, deadline }, count);
    } catch (error) {
      throw error instanceof SemaphoreTimeout ? new ToolError('DEADLINE_EXCEEDED', { tool: 'The count' }) : error;
    }
  }
}
