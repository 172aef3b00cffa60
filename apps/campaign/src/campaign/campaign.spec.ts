import { describe, expect, it } from '@jest/globals';
import { campaignStatuses } from '#contracts';
import { ToolError } from '#tool-call';
import {
  assertCan,
  assertEdit,
  changes,
  clearableLine,
  copyName,
  hasOutgrown,
  lineOf,
  replyAddress,
} from './campaign.js';
import type { CampaignEdit, CampaignStatus, Change } from './campaign.js';

const reasonOf = (act: () => unknown) => {
  try {
    act();
  } catch (error) {
    return error instanceof ToolError ? error.reason : error;
  }
  return 'accepted';
};

/** The states of the API text in full: the result of each change in each state, or its refusal. */
const matrix: Record<Change, Record<CampaignStatus, string>> = {
  edit: {
    DRAFT: 'DRAFT',
    SCHEDULED: 'CAMPAIGN_NOT_DRAFT',
    SENDING: 'CAMPAIGN_NOT_DRAFT',
    SENT: 'CAMPAIGN_NOT_DRAFT',
    ARCHIVED: 'CAMPAIGN_NOT_DRAFT',
    FAILED: 'CAMPAIGN_NOT_DRAFT',
  },
  schedule: {
    DRAFT: 'SCHEDULED',
    SCHEDULED: 'CAMPAIGN_NOT_DRAFT',
    SENDING: 'CAMPAIGN_NOT_DRAFT',
    SENT: 'CAMPAIGN_NOT_DRAFT',
    ARCHIVED: 'CAMPAIGN_NOT_DRAFT',
    FAILED: 'CAMPAIGN_NOT_DRAFT',
  },
  cancel: {
    DRAFT: 'CAMPAIGN_NOT_SCHEDULED',
    SCHEDULED: 'DRAFT',
    SENDING: 'CAMPAIGN_NOT_SCHEDULED',
    SENT: 'CAMPAIGN_NOT_SCHEDULED',
    ARCHIVED: 'CAMPAIGN_NOT_SCHEDULED',
    FAILED: 'CAMPAIGN_NOT_SCHEDULED',
  },
  start: {
    DRAFT: 'CAMPAIGN_NOT_SCHEDULED',
    SCHEDULED: 'SENDING',
    SENDING: 'CAMPAIGN_NOT_SCHEDULED',
    SENT: 'CAMPAIGN_NOT_SCHEDULED',
    ARCHIVED: 'CAMPAIGN_NOT_SCHEDULED',
    FAILED: 'CAMPAIGN_NOT_SCHEDULED',
  },
  control: {
    DRAFT: 'CAMPAIGN_NOT_SENDING',
    SCHEDULED: 'CAMPAIGN_NOT_SENDING',
    SENDING: 'SENDING',
    SENT: 'CAMPAIGN_NOT_SENDING',
    ARCHIVED: 'CAMPAIGN_NOT_SENDING',
    FAILED: 'CAMPAIGN_NOT_SENDING',
  },
  archive: {
    DRAFT: 'ARCHIVED',
    SCHEDULED: 'CAMPAIGN_NOT_DRAFT',
    SENDING: 'CAMPAIGN_NOT_DRAFT',
    SENT: 'CAMPAIGN_NOT_DRAFT',
    ARCHIVED: 'CAMPAIGN_NOT_DRAFT',
    FAILED: 'CAMPAIGN_NOT_DRAFT',
  },
  unarchive: {
    DRAFT: 'CAMPAIGN_NOT_ARCHIVED',
    SCHEDULED: 'CAMPAIGN_NOT_ARCHIVED',
    SENDING: 'CAMPAIGN_NOT_ARCHIVED',
    SENT: 'CAMPAIGN_NOT_ARCHIVED',
    ARCHIVED: 'DRAFT',
    FAILED: 'CAMPAIGN_NOT_ARCHIVED',
  },
  finish: {
    DRAFT: 'CAMPAIGN_NOT_SENDING',
    SCHEDULED: 'CAMPAIGN_NOT_SENDING',
    SENDING: 'SENT',
    SENT: 'CAMPAIGN_NOT_SENDING',
    ARCHIVED: 'CAMPAIGN_NOT_SENDING',
    FAILED: 'CAMPAIGN_NOT_SENDING',
  },
  fail: {
    DRAFT: 'CAMPAIGN_NOT_SENDING',
    SCHEDULED: 'CAMPAIGN_NOT_SENDING',
    SENDING: 'FAILED',
    SENT: 'CAMPAIGN_NOT_SENDING',
    ARCHIVED: 'CAMPAIGN_NOT_SENDING',
    FAILED: 'CAMPAIGN_NOT_SENDING',
  },
};
const cells = (Object.keys(matrix) as Change[]).flatMap((change) =>
  campaignStatuses.map((status) => [change, status, matrix[change][status]] as const),
);

describe('the states of a campaign', () => {
  it.each(cells)('%s from %s: %s', (change, status, expected) => {
    const refusal = reasonOf(() => assertCan(change, { status }));
    expect(refusal === 'accepted' ? changes[change].to : refusal).toBe(expected);
  });
});

describe('an audience', () => {
  it.each([
    [400, 499, false],
    [400, 500, true],
    [1_000, 1_100, false],
    [5_000, 5_200, false],
    [5_000, 5_500, false],
    [5_000, 5_501, true],
    [5_000, 100, false],
  ])('of %i that were approved and %i that match now has outgrown the approval: %s', (approved, now, expected) => {
    expect(hasOutgrown(approved, now)).toBe(expected);
  });
});

describe('an edit', () => {
  it.each<[string, Omit<CampaignEdit, 'id'>]>([
    ['accepted', { subject: 'New' }],
    ['accepted', { preview: null }],
    ['accepted', { replyTo: null }],
    ['accepted', { content: '# New', contentType: 'MARKDOWN' }],
    ['accepted', { operations: [{ op: 'remove_node' }], subject: 'New' }],
    ['accepted', { content: null, subject: 'New' }],
    ['CONTENT_AND_OPERATIONS', { content: '# New', operations: [{ op: 'remove_node' }] }],
    ['NOTHING_TO_CHANGE', {}],
    ['NOTHING_TO_CHANGE', { content: null }],
    ['PARAMETERS_INVALID', { contentType: 'MARKDOWN' }],
    ['PARAMETERS_INVALID', { contentType: 'MARKDOWN', operations: [{ op: 'remove_node' }] }],
  ])('is %s: %j', (expected, edit) => {
    expect(reasonOf(() => assertEdit({ id: 'cmp_1', ...edit }))).toBe(expected);
  });
});

describe('the name of a copy', () => {
  it('is cut between characters', () => {
    expect(copyName('News')).toBe('News (copy)');
    expect(copyName(`${'x'.repeat(247)}😀😀`)).toBe(`${'x'.repeat(247)} (copy)`);
  });
});

describe('text of one line', () => {
  it.each([
    ['Hello\r\nBcc: all@example.org', 'Hello Bcc: all@example.org'],
    ['\u0000 Tab\there ', 'Tab here'],
    ['half \ud83d pair', 'half \ufffd pair'],
    ['whole 🌱', 'whole 🌱'],
  ])('%j is kept as %j', (given, kept) => {
    expect(lineOf('subject', given)).toBe(kept);
  });

  it('is refused when nothing is left, unless it may be absent', () => {
    expect(reasonOf(() => lineOf('subject', '\u0000\n'))).toBe('PARAMETERS_INVALID');
    expect(clearableLine('\u0000\n')).toBeNull();
    expect(clearableLine(null)).toBeNull();
  });
});

describe('a reply address', () => {
  it.each([
    [null, null],
    ['', null],
    ['ada@example.org', 'ada@example.org'],
    [['ada@example.org'], 'ada@example.org'],
    ['Ada <ada@example.org>', 'Ada <ada@example.org>'],
  ])('%j is kept as %j', (given, kept) => {
    expect(replyAddress(given)).toBe(kept);
  });

  it.each(['ada', 'ada@', 'a@b.example, c@d.example', 'a@b.example\nBcc: c@d.example'])('%j is refused', (given) => {
    expect(reasonOf(() => replyAddress(given))).toBe('PARAMETERS_INVALID');
  });
});
