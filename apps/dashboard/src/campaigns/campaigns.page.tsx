import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import * as z from 'zod/mini';
import type { ToolData } from '#client';
import { pages, queries } from '../data/tools.calls.js';
import { calendarText } from '../messages/en/calendar.js';
import { campaignText } from '../messages/en/campaigns.js';
import { date, dateTime, number, percent } from '../messages/format.js';
import { NewCampaign } from '../parts/new-campaign.js';
import { Page } from '../parts/page.js';
import { RecordList } from '../parts/record-list.js';
import type { Column } from '../parts/record-row.js';
import { useScreenSearch } from '../parts/screen-search.js';
import { SearchField } from '../parts/search-field.js';
import { StatusTabs } from '../parts/status-tabs.js';
import { EmptyState } from '../ui/states.js';
import { CampaignBadge, campaignStatuses } from './campaign-status.js';
import { PauseButton } from './send-control.js';

const CampaignCalendar = lazy(async () => ({ default: (await import('./campaign-calendar.js')).CampaignCalendar }));

type Row = ToolData<'search_campaigns'>['campaigns'][number];

/** What of this screen stands in the address. */
const searchPart = z.object({
  q: z.optional(z.string().check(z.maxLength(200))),
  status: z.optional(z.enum(campaignStatuses)),
  layout: z.optional(z.literal('calendar')),
  month: z.optional(z.string().check(z.regex(/^\d{4}-(0[1-9]|1[0-2])$/))),
});

const none = <span className="text-soft">–</span>;

function whenOf({ status, scheduledAt, startedAt, updatedAt }: Row): string {
  if (status === 'SCHEDULED' && scheduledAt) return dateTime(scheduledAt);
  if (startedAt) return date(startedAt);
  return campaignText('date.DRAFT', { date: date(updatedAt) });
}

const rate = (part: number, { results }: Row) => (results.delivered === 0 ? none : percent(part / results.delivered));

const columns: readonly Column<Row>[] = [
  {
    id: 'name',
    header: campaignText('name'),
    width: 'minmax(0, 2fr)',
    cell: ({ name, subject }) => (
      <>
        {name}
        <span className="ms-2 font-normal text-soft max-md:hidden">{subject === name ? '' : subject}</span>
      </>
    ),
  },
  {
    id: 'status',
    header: campaignText('status'),
    width: '8rem',
    phone: 'aside',
    cell: (row) => (
      <span className="flex items-center gap-2">
        <CampaignBadge status={row.status} />
        {row.status === 'SENDING' && <PauseButton campaignId={row.id} name={row.name} />}
      </span>
    ),
  },
  {
    id: 'recipients',
    header: campaignText('recipients'),
    width: '6.5rem',
    align: 'end',
    cell: ({ recipientCount }) => (recipientCount === null ? none : number(recipientCount)),
  },
  {
    id: 'opened',
    header: campaignText('opened'),
    width: '5.5rem',
    align: 'end',
    cell: (row) => rate(row.results.opened, row),
  },
  {
    id: 'clicked',
    header: campaignText('clicked'),
    width: '5.5rem',
    align: 'end',
    cell: (row) => rate(row.results.clicked, row),
  },
  {
    id: 'date',
    header: campaignText('date'),
    width: '11.5rem',
    align: 'end',
    phone: 'detail',
    cell: (row) => <span className="text-soft">{whenOf(row)}</span>,
  },
];

/** All campaigns, by status and search. */
export function CampaignsPage() {
  const [{ q, status, layout, month }, setSearch] = useScreenSearch(searchPart);
  const search = q ? { query: q } : {};
  const { data: totals } = useQuery(queries.search_campaigns({ ...search, limit: 1 }));
  return (
    <Page title={campaignText('title')} fill actions={<NewCampaign />}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 pb-3">
        <div className="me-auto min-w-0">
          <StatusTabs
            label={campaignText('status')}
            value={status ?? 'ALL'}
            onChange={(value) => setSearch({ status: value === 'ALL' ? undefined : value })}
            tabs={[
              { value: 'ALL', label: campaignText('all'), count: totals?.total },
              ...campaignStatuses
                .filter((one) => one === status || (totals?.counts[one] ?? 0) > 0)
                .map((one) => ({ value: one, label: campaignText(`status.${one}`), count: totals?.counts[one] ?? 0 })),
            ]}
          />
        </div>
        <StatusTabs
          label={calendarText('layout')}
          value={layout ?? 'list'}
          onChange={(value) => setSearch({ layout: value === 'list' ? undefined : value, month: undefined })}
          tabs={(['list', 'calendar'] as const).map((value) => ({ value, label: calendarText(value) }))}
        />
        <SearchField
          label={campaignText('search')}
          value={q ?? ''}
          onChange={(value) => setSearch({ q: value }, { replace: true })}
          className="w-full sm:w-72"
        />
      </div>
      {layout === 'calendar' ? (
        <Suspense fallback={null}>
          <CampaignCalendar
            month={month}
            query={q}
            status={status}
            onMonth={(value) => setSearch({ month: value }, { replace: true })}
          />
        </Suspense>
      ) : (
        <RecordList
          label={campaignText('title')}
          query={pages.search_campaigns({ ...search, limit: 100, ...(status && { statuses: [status] }) })}
          rowsOf={({ campaigns }) => campaigns}
          idOf={({ id }) => id}
          columns={columns}
          target={({ id }) => ({ screen: 'campaign', params: { campaignId: id } })}
          filtered={
            (q ?? status) !== undefined && {
              what: q
                ? campaignText('filtered.query', { query: q })
                : campaignText('filtered.status', { status: campaignText(`status.${status!}`) }),
              clear: () => setSearch({ q: undefined, status: undefined }),
            }
          }
          empty={
            <EmptyState icon="mail" title={campaignText('empty.title')}>
              {campaignText('empty.lead')}
            </EmptyState>
          }
        />
      )}
    </Page>
  );
}
