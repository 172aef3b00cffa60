import type { Args, campaignReportTools } from '#contracts';
import { parameterProblem } from './campaign.js';

export type CampaignSearch = Args<(typeof campaignReportTools)['calls']['search_campaigns']>;

/** The place after which a page begins: the sorted value as text, and the id of the last campaign. */
export interface SearchPlace {
  value: string;
  id: string;
}

export const searchCursor = ({ sort, order }: CampaignSearch, { value, id }: SearchPlace): string =>
  Buffer.from(JSON.stringify([sort, order, value, id])).toString('base64url');

/** Reads a cursor; null without one. @throws ToolError PARAMETERS_INVALID for a cursor of another sort or order */
export function readSearchCursor({ cursor, sort, order }: CampaignSearch): SearchPlace | null {
  if (cursor === undefined) return null;
  const parts = parse(cursor);
  if (!Array.isArray(parts) || parts.length !== 4 || !parts.every((part) => typeof part === 'string'))
    throw parameterProblem('cursor', 'must be the nextCursor of the previous page');
  const [ofSort, ofOrder, value, id] = parts as [string, string, string, string];
  if (ofSort !== sort || ofOrder !== order)
    throw parameterProblem('cursor', `belongs to a page sorted by ${ofSort.slice(0, 20)} ${ofOrder.slice(0, 4)}`);
  if (!/^cmp_[0-9a-z]{26}$/.test(id) || !fits[sort](value))
    throw parameterProblem('cursor', 'must be the nextCursor of the previous page');
  return { value, id };
}

const isInstant = (value: string): boolean =>
  /^-?infinity$|^\d{4,}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?[+-]\d\d(:\d\d)?$/.test(value);
const isNumber = (value: string): boolean => /^\d+(\.\d+)?(e\+?\d+)?$/.test(value);
const isUuid = (value: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(value);

/** Whether a text can be the value of a sort, so that a forged cursor is refused before it reaches the database. */
const fits: Record<CampaignSearch['sort'], (value: string) => boolean> = {
  createdAt: isUuid,
  updatedAt: isInstant,
  scheduledAt: isInstant,
  startedAt: isInstant,
  name: (value) => !value.includes('\0'),
  sent: isNumber,
  opened: isNumber,
};

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return null;
  }
}
