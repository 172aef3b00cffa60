import * as z from 'zod/mini';
import type { ToolData } from '#client';
import { deliverabilityText } from '../messages/en/deliverability.js';
import { dateTime } from '../messages/format.js';
import { CopyAs } from '../parts/copy-as.js';
import { Page } from '../parts/page.js';
import { RecordList } from '../parts/record-list.js';
import type { Column } from '../parts/record-row.js';
import { useScreenSearch } from '../parts/screen-search.js';
import { StatusTabs } from '../parts/status-tabs.js';
import { Badge, EmptyState } from '../ui/states.js';
import { suppressedPages } from './suppressed-pages.js';

type Suppressed = ToolData<'list_suppressed_subscribers'>['suppressed'][number];

const statuses = ['BOUNCED', 'COMPLAINED'] as const;
const searchPart = z.object({ status: z.optional(z.enum(statuses)) });

const none = <span className="text-soft">–</span>;

/** What the mail server or the provider said. */
function causeOf({ event }: Suppressed): string {
  if (!event) return '';
  const { bounceCategory, complaintFeedbackType, reason } = event;
  return [bounceCategory ?? complaintFeedbackType, reason].filter(Boolean).join(' · ');
}

const columns: readonly Column<Suppressed>[] = [
  { id: 'email', header: deliverabilityText('suppressed.email'), cell: ({ subscriber: { email } }) => email },
  {
    id: 'status',
    header: deliverabilityText('suppressed.status'),
    width: '8rem',
    phone: 'aside',
    cell: ({ subscriber: { status } }) => (
      <Badge tone={status === 'BOUNCED' ? 'bad' : 'warn'}>
        {deliverabilityText(status === 'BOUNCED' ? 'suppressed.BOUNCED' : 'suppressed.COMPLAINED')}
      </Badge>
    ),
  },
  {
    id: 'cause',
    header: deliverabilityText('suppressed.cause'),
    width: 'minmax(0, 1.6fr)',
    phone: 'detail',
    cell: (row) => {
      const cause = causeOf(row);
      return cause === '' ? none : <span title={cause}>{cause}</span>;
    },
  },
  {
    id: 'since',
    header: deliverabilityText('suppressed.since'),
    width: '11.5rem',
    align: 'end',
    cell: ({ event }) => (event ? <span className="text-soft">{dateTime(event.createdAt)}</span> : none),
  },
];

/** Who is sent nothing more because mail bounced or was reported, with the cause. */
export function SuppressedPage() {
  const [{ status }, setSearch] = useScreenSearch(searchPart);
  const input = status ? { status } : {};
  return (
    <Page
      title={deliverabilityText('suppressed.title')}
      lead={deliverabilityText('suppressed.lead')}
      fill
      actions={<CopyAs tool="list_suppressed_subscribers" input={input} />}
    >
      <div className="pb-3">
        <StatusTabs
          label={deliverabilityText('suppressed.status')}
          value={status ?? 'ALL'}
          onChange={(value) => setSearch({ status: value === 'ALL' ? undefined : value })}
          tabs={[
            { value: 'ALL' as const, label: deliverabilityText('suppressed.all') },
            ...statuses.map((value) => ({ value, label: deliverabilityText(`suppressed.${value}`) })),
          ]}
        />
      </div>
      <RecordList
        label={deliverabilityText('suppressed.title')}
        query={suppressedPages(input)}
        rowsOf={({ suppressed }) => suppressed}
        idOf={({ subscriber }) => subscriber.id}
        columns={columns}
        target={({ subscriber }) => ({ screen: 'subscriber', params: { subscriberId: subscriber.id } })}
        filtered={
          status !== undefined && {
            what: deliverabilityText(`suppressed.${status}`),
            clear: () => setSearch({ status: undefined }),
          }
        }
        empty={
          <EmptyState icon="check" title={deliverabilityText('suppressed.empty')}>
            {deliverabilityText('suppressed.emptyLead')}
          </EmptyState>
        }
      />
    </Page>
  );
}
