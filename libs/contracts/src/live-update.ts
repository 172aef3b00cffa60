import { z } from 'zod';
import { timestamp } from './common.js';

/** The updates that gateways stream to pages and programs (`GET /api/events`), by the noun of their record. */
export const liveUpdateNames = [
  'campaign.progress',
  'campaign.changed',
  'import.progress',
  'export.progress',
  'approval.asked',
  'approval.decided',
  'workflow.changed',
  'workflow.flow',
  'domain.changed',
  'organization.changed',
  'member.changed',
] as const;
export type LiveUpdateName = (typeof liveUpdateNames)[number];

export const liveNouns = [
  'campaign',
  'import',
  'export',
  'approval',
  'workflow',
  'domain',
  'organization',
  'member',
] as const;
export type LiveNoun = (typeof liveNouns)[number];

/** The broadcast by which services publish updates; the stream `ui` keeps them. */
export const liveUpdateBroadcast = 'ui';

/** Bytes of an update's data at most, as JSON. */
export const liveUpdateBytesMax = 1024;

/** A change of a record, as a hint to read it again: no content, no address. */
export const liveUpdate = z.object({
  name: z.enum(liveUpdateNames),
  id: z.string(),
  organization: z.string(),
  at: timestamp,
  by: z.string().optional(),
  numbers: z.record(z.string(), z.union([z.number(), z.record(z.string(), z.number())])).optional(),
});
export type LiveUpdate = z.infer<typeof liveUpdate>;

export const liveNounOf = (name: LiveUpdateName): LiveNoun => name.slice(0, name.indexOf('.')) as LiveNoun;
