import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { changedParameters } from '../scenarios/changed-parameters.js';
import { killedConsumer } from '../scenarios/killed-consumer.js';
import { shiftedClock } from '../scenarios/shifted-clock.js';
import { sharedMailbox } from '../scenarios/shared-mailbox.js';
import type { CampaignTarget, FaultRig, Pace } from '../rig/fault-rig.js';

/** Tries to break the system in one way. @returns what broke; nothing when the system is sound */
export type Scenario = (rig: FaultRig, seed: number) => Promise<string[]>;

/** A mistake that the rig must notice: one change of one compiled file. */
export interface Mutation {
  name: string;
  /** Below the build. */
  file: string;
  find: string;
  plant: string;
  scenario: Scenario;
}

const struck =
  (target: CampaignTarget, pace?: Pace): Scenario =>
  async (rig, seed) =>
    (await rig.run(target, seed, pace)).verdict.breaches;

/** Every connection holds a message for so long that a commit surely falls between its mark and its answer. */
const slow: Pace = { recipients: 150, latencyMs: 1_000 };

const attempt =
  'return this.parts.relay.begin(turn, ready.message, ended, { before: monotonicMs() + leftMs, journal });';
const taken = `outcomeOfAttempt({ kind: 'replied', code: 250, response: '250 2.0.0 Ok' }, { mark: marking.mark, subject: ready.mark.subject, relayId, at: new Date() }, this.#context)`;
/** The result of the attempt itself has no effect then. */
const unheard = attempt.replace(
  'ended,',
  '(report) => { this.#ended(marking, { relayId, report }); this.#attempted.pop(); },',
);
const starting = 'for (const marking of reserved) {';
const all = '{ ...committed, held: true, started: new Set(reserved.map(({ mark }) => mark.recipient.position)) }';
const gathered = 'const { messages, batches, events, position } = await this.#nextBatch();';

export const mutations: readonly Mutation[] = [
  {
    name: 'checkpoint before send',
    file: 'apps/delivery/src/send/ledger/ledger-chunk-sender.worker.js',
    find: attempt,
    plant: `this.#attempted.push(${taken}); this.#signal.notify(); ${unheard}`,
    scenario: struck('delivery', slow),
  },
  {
    name: 'position before effect',
    file: 'libs/events/src/lane-reader.js',
    find: gathered,
    plant: `${gathered} await this.#leases.hold(this.role, this.owner, this.lease, { leaseSeconds, position });`,
    scenario: killedConsumer,
  },
  {
    // Sends messages even if the commit of their marks was refused.
    name: 'no fencing',
    file: 'apps/delivery/src/send/ledger/ledger-chunk-sender.worker.js',
    find: starting,
    plant: `if (!committed.held) committed = ${all}; ${starting}`,
    scenario: struck('freeze'),
  },
  {
    // A message that is marked but has no row yet is not counted.
    name: 'guard without pending marks',
    file: 'apps/delivery/migrations/1700000001510-read-guard.js',
    find: 'unnest(a.pending) v\n',
    plant: "unnest('{}'::bigint[]) v\n",
    scenario: sharedMailbox,
  },
  {
    name: 'code not bound to the body',
    file: 'apps/gateway/src/tool/tool-calls.js',
    find: 'requestHash(token.organizationId, token.actor.id, entry.name, args)',
    plant: 'requestHash(token.organizationId, token.actor.id, entry.name)',
    scenario: changedParameters,
  },
  {
    name: 'timer by the process clock',
    file: 'apps/campaign/src/send/send.repository.js',
    find: '.scheduled_at <= clock_timestamp()',
    plant: '.scheduled_at <= to_timestamp(${Date.now() / 1000})',
    scenario: shiftedClock,
  },
];

/**
 * The text of a defect's file with the defect in it.
 * @throws Error when the text to change does not occur exactly once: then the defect must be rewritten
 */
export function defective(buildDir: string, { name, file, find, plant }: Mutation): string {
  const parts = readFileSync(join(buildDir, file), 'utf8').split(find);
  if (parts.length !== 2)
    throw new Error(`"${name}" cannot be planted: ${file} has ${parts.length - 1} times ${JSON.stringify(find)}`);
  return parts.join(plant);
}
