/** @jest-environment jsdom */
import '../../test/jsdom-window.js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { catalogue } from '#contracts';
import type { ToolData } from '#client';
import { answerTools } from '../../test/answers.js';
import { noteSession, setOrganization } from '../data/session.js';
import type { Role } from '../data/session.js';
import { ScheduleForm } from './schedule-form.js';

const at = '2026-05-01T09:30:00.000Z';
const campaignId = 'cmp_00000000000000000000000001';
const draft = {
  id: campaignId,
  name: 'Spring',
  subject: 'Spring is here',
  preview: null,
  contentType: 'MARKDOWN',
  content: 'Hello',
  senderId: null,
  sender: null,
  replyTo: null,
  status: 'DRAFT',
  scheduledAt: null,
  timezone: null,
  startedAt: null,
  finishedAt: null,
  failure: null,
  createdAt: at,
  updatedAt: at,
  recipientFilters: [],
};
const { content, preview, contentType, senderId, sender, replyTo, recipientFilters } = draft;
const { campaign } = catalogue.get('get_campaign')!.contract.output.parse({
  campaign: draft,
  campaignId,
  ...{ content, preview, contentType, senderId, sender, replyTo, recipientFilters },
}) as ToolData<'get_campaign'>;
const quotas = { contacts: null, mailsPerMonth: null, domains: null };
const organization = {
  organization: {
    id: 'org_1',
    name: 'Seeds',
    timezone: 'Europe/Paris',
    address: null,
    plan: 'FREE',
    doubleOptIn: false,
    createdAt: at,
    updatedAt: at,
    number: 1,
    currency: 'EUR',
    trackOpens: true,
    trackClicks: true,
    approvals: 'AGENTS',
    approvalHours: 24,
    tokenDaysMax: null,
    sendDelaySeconds: 15,
    requireSecondFactor: false,
  },
  plan: 'FREE',
  quotas,
  usage: quotas,
};
const scheduled = {
  campaign: { ...draft, status: 'SCHEDULED', scheduledAt: at, timezone: 'Europe/Paris' },
  campaignId,
  scheduledAt: at,
  timezone: 'Europe/Paris',
  recipientCount: 12,
};

const open = async (role: Role, answers: Parameters<typeof answerTools>[0] = {}) => {
  noteSession({
    session: { id: 'ses_1', signedInAt: at, expiresAt: at },
    user: { id: 'usr_1', email: 'ada@example.org', name: 'Ada', locale: null, timezone: null, operator: false },
    organizations: [{ id: 'org_1', number: 1, name: 'Seeds', role }],
    csrf: 'csrf',
  });
  const calls = answerTools({ get_organization: organization, schedule_campaign: scheduled, ...answers });
  const props = { campaign, recipientCount: 12, isUnfinished: false };
  const router = createRouter({
    routeTree: createRootRoute({ component: () => <ScheduleForm {...props} />, notFoundComponent: () => null }),
    history: createMemoryHistory({ initialEntries: ['/'] }),
  });
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  );
  await screen.findByRole('heading', { name: 'When' });
  await waitFor(() => expect(calls.map(({ tool }) => tool)).toEqual(['get_organization']));
  return { router, user: userEvent.setup(), sends: () => calls.filter(({ tool }) => tool === 'schedule_campaign') };
};
const button = (name: string) => screen.getByRole('button', { name });
/** Date and time fields take their value at once. */
const set = (name: string, value: string) => fireEvent.change(screen.getByLabelText(name), { target: { value } });

describe('ScheduleForm', () => {
  beforeEach(() => setOrganization(1));
  afterEach(() => {
    cleanup();
    noteSession(null);
  });

  it('sends now in the time zone of the organization, and leads to the report', async () => {
    const { user, sends, router } = await open('approver');
    await user.click(button('Send now'));
    await waitFor(() => expect(router.state.location.pathname).toBe(`/1/campaigns/${campaignId}/report`));
    expect(sends().map(({ input }) => input)).toEqual([{ campaignId, timezone: 'Europe/Paris' }]);
  });

  it('schedules a day and a time of the chosen zone', async () => {
    const { user, sends } = await open('approver');
    await user.click(screen.getByRole('radio', { name: 'Later' }));
    set('Day', '2031-03-30');
    set('Time', '10:30');
    await user.selectOptions(screen.getByLabelText('Time zone'), 'America/New_York');
    await user.click(button('Schedule'));
    await waitFor(() => expect(sends()).toHaveLength(1));
    expect(sends()[0]!.input).toEqual({
      campaignId,
      timezone: 'America/New_York',
      date: '2031-03-30',
      hours: 10,
      minutes: 30,
    });
  });

  it('says when the clock skips the hour, and when a time is over', async () => {
    const { user } = await open('approver');
    await user.click(screen.getByRole('radio', { name: 'Later' }));
    // The last Sunday of March 2031, when 02:30 does not exist in Paris.
    set('Day', '2031-03-30');
    set('Time', '02:30');
    expect(screen.getByText(/^The clock skips this hour on that day\./).textContent).toContain('03:30');
    set('Day', '2020-03-30');
    expect(screen.getByText('This time is in the past.')).toBeTruthy();
  });

  it('lets an editor ask instead, and stays where the call is refused', async () => {
    const refusal = { status: 409, error: 'The campaign has no sender.', code: 'CONFLICT', reason: 'SENDER_MISSING' };
    const { user, router } = await open('editor', { schedule_campaign: refusal });
    expect(screen.queryByRole('button', { name: 'Send now' })).toBeNull();
    await user.click(button('Ask for approval'));
    expect((await screen.findByRole('alert')).textContent).toContain('The campaign has no sender.');
    expect(router.state.location.pathname).toBe('/');
  });
});
