import type { IncomingHttpHeaders } from 'node:http';
import { Semaphore, SemaphoreTimeout } from '#concurrency';
import { ToolError } from '#tool-call';

/** Bytes up to which a body is not counted; most calls are below. */
const smallMax = 256 * 1024;
/** Bytes counted for a body without a length: the largest limit of any call. */
const unknownBytes = 5 * 1024 * 1024;
/** Bytes of bodies in flight, of one organization and of all; in memory a body takes several times its bytes. */
const bytesMax = { limitPerKey: 5 * 1024 * 1024, limit: 24 * 1024 * 1024 };
const waitMs = 20_000;

export const announcedBytes = (headers: IncomingHttpHeaders): number =>
  headers['transfer-encoding'] !== undefined ? unknownBytes : Number(headers['content-length'] ?? 0);

/** Bounds the bytes of large bodies in progress, fair over organizations; a body is not read before it is admitted. */
export class BodyBudget {
  readonly #bytes: Semaphore;

  constructor(private readonly now: () => number = Date.now) {
    this.#bytes = new Semaphore({ ...bytesMax, now });
  }

  /** @throws ToolError SERVICE_UNAVAILABLE when the body is not admitted in time */
  async run<T>(organizationId: string, headers: IncomingHttpHeaders, work: () => T | Promise<T>): Promise<T> {
    const weight = announcedBytes(headers);
    if (!(weight > smallMax)) return await work();
    try {
      return await this.#bytes.run({ key: organizationId, weight, deadline: this.now() + waitMs }, work);
    } catch (error) {
      throw error instanceof SemaphoreTimeout ? new ToolError('SERVICE_UNAVAILABLE', { service: 'gateway' }) : error;
    }
  }
}
