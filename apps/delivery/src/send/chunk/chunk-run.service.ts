import type { Client } from '#bus';
import type { subscriberRequests } from '#contracts';
import type { Logger } from '#observability';
import { RemoteFailure } from '#tool-call';
import type { Relay } from '../relay/connection-pool.worker.js';
import { SendBlocked } from '../render/render-plan.service.js';
import type { RenderPlanService } from '../render/render-plan.service.js';
import type { RenderPool } from '../render/render-pool.worker.js';
import type { ChunkRepository } from './chunk.repository.js';

/** What a run over a chunk needs, and shares with the others of its process. */
export interface ChunkRunDependencies {
  pages: ChunkRepository;
  mails: RenderPlanService;
  renderPool: RenderPool;
  subscribers: Client<typeof subscriberRequests>;
  relay: Relay;
  leaseSeconds: number;
  /** Seconds for which fetched recipient data may be reused. */
  recipientTtlSeconds: number;
  /** The state after the relay's 250. */
  accepted: 'SENT' | 'DELIVERED';
  log: Logger;
}

/** `blocked`: before anything was done, permanently (`final`) or until something changes. */
export type ChunkEnd = { kind: 'done' | 'left' } | { kind: 'blocked'; reason: string; final: boolean };

/** Thrown for a chunk without recipients, since every chunk was stored with some. */
export class AudienceGone extends Error {}

/** Returns why a chunk cannot be sent, and whether waiting will not help; null for defects. */
export function blockedBy(error: unknown): { reason: string; final: boolean } | null {
  if (error instanceof AudienceGone) return { reason: 'The frozen audience of the campaign is gone.', final: true };
  if (error instanceof SendBlocked) return { reason: error.message, final: false };
  if (!(error instanceof RemoteFailure)) return null;
  return { reason: error.message, final: error.failure.code === 'INVALID_STATE' };
}
