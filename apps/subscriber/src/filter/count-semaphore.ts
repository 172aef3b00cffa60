import { Semaphore, SemaphoreTimeout } from '#concurrency';
import { ToolError } from '#tool-call';
import type { Caller } from '#tool-call';

/**
 * Bounds concurrent counts, fairly over organizations, so that counts of large segments, which can take seconds, leave
 * connections for sends, links and imports.
 */
export class CountSemaphore {
  readonly #semaphore: Semaphore;

  constructor(limit: number) {
    this.#semaphore = new Semaphore({ limit });
  }

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
