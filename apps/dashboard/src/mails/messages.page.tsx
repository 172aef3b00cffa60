import * as z from 'zod/mini';
import { messageText } from '../messages/en/messages.js';
import { dateTime } from '../messages/format.js';
import { CopyAs } from '../parts/copy-as.js';
import { DayField } from '../parts/day-field.js';
import { dayEnd, dayStart } from '../parts/day-start.js';
import { Page } from '../parts/page.js';
import { RecordList } from '../parts/record-list.js';
import type { Column } from '../parts/record-row.js';
import { useScreenSearch } from '../parts/screen-search.js';
import { SearchField } from '../parts/search-field.js';
import { StatusTabs } from '../parts/status-tabs.js';
import { Button } from '../ui/button.js';
import { EmptyState } from '../ui/states.js';
import { foundMessages } from './found-messages.js';
import { MessageBadge, messageStatuses } from './mail-status.js';
import type { Message } from './mail-status.js';

/** What of this screen stands in the address. */
const searchPart = z.object({
  q: z.optional(z.string().check(z.maxLength(320))),
  status: z.optional(z.enum(messageStatuses)),
  campaign: z.optional(z.string().check(z.maxLength(64))),
  from: z.optional(z.iso.date()),
  to: z.optional(z.iso.date()),
});
type Search = z.output<typeof searchPart>;

const none = <span className="text-soft">–</span>;

const columns: readonly Column<Message>[] = [
  { id: 'email', header: messageText('email'), width: 'minmax(0, 1.2fr)', cell: ({ email }) => email },
  {
    id: 'subject',
    header: messageText('subject'),
    width: 'minmax(0, 1.4fr)',
    phone: 'detail',
    cell: ({ subject }) => (subject === '' ? messageText('noSubject') : subject),
  },
  {
    id: 'status',
    header: messageText('status'),
    width: '7rem',
    phone: 'aside',
    cell: ({ status }) => <MessageBadge status={status} />,
  },
  {
    id: 'reply',
    header: messageText('reply'),
    width: 'minmax(0, 1.2fr)',
    cell: ({ response }) =>
      response === null ? (
        none
      ) : (
        <span className="font-mono text-xs" title={response}>
          {response}
        </span>
      ),
  },
  { id: 'kind', header: messageText('kind'), width: '7rem', cell: ({ kind }) => messageText(`kind.${kind}`) },
  {
    id: 'created',
    header: messageText('created'),
    width: '11.5rem',
    align: 'end',
    cell: ({ createdAt }) => <span className="text-soft">{dateTime(createdAt)}</span>,
  },
];

/** Every mail to a recipient, by state and search. */
export function MessagesPage() {
  const [search, setSearch] = useScreenSearch(searchPart);
  const { q, status, campaign, from, to } = search;
  const input = {
    limit: 100,
    ...(q && { query: q }),
    ...(status && { status }),
    ...(campaign && { campaignId: campaign }),
    ...(from && { from: dayStart(from) }),
    ...(to && { to: dayEnd(to) }),
  };
  return (
    <Page title={messageText('title')} fill actions={<CopyAs tool="list_messages" input={input} />}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 pb-3">
        <StatusTabs
          label={messageText('status')}
          value={status ?? 'ALL'}
          onChange={(value) => setSearch({ status: value === 'ALL' ? undefined : value })}
          tabs={[
            { value: 'ALL' as const, label: messageText('all') },
            ...messageStatuses.map((value) => ({ value, label: messageText(`status.${value}`) })),
          ]}
        />
        <div className="flex w-full flex-wrap items-center gap-2 sm:ms-auto sm:w-auto">
          {campaign !== undefined && (
            <Button
              small
              icon="close"
              title={messageText('campaignClear')}
              onClick={() => setSearch({ campaign: undefined })}
            >
              {messageText('campaignShown')}
            </Button>
          )}
          {(['from', 'to'] as const).map((key) => (
            <DayField
              key={key}
              label={messageText(key)}
              value={search[key]}
              onChange={(day) => setSearch({ [key]: day }, { replace: true })}
            />
          ))}
          <SearchField
            label={messageText('search')}
            value={q ?? ''}
            onChange={(value) => setSearch({ q: value }, { replace: true })}
            className="min-w-0 flex-1 sm:w-72 sm:flex-none"
          />
        </div>
      </div>
      <RecordList
        label={messageText('title')}
        query={foundMessages(input)}
        rowsOf={({ messages }) => messages}
        idOf={({ messageId }) => messageId}
        columns={columns}
        target={({ messageId }) => ({ screen: 'message', params: { messageId } })}
        filtered={
          (q ?? status ?? campaign ?? from ?? to) !== undefined && {
            what: filterWords(search),
            clear: () =>
              setSearch({ q: undefined, status: undefined, campaign: undefined, from: undefined, to: undefined }),
          }
        }
        empty={
          <EmptyState icon="message" title={messageText('empty.title')}>
            {messageText('empty.lead')}
          </EmptyState>
        }
      />
    </Page>
  );
}

function filterWords({ q, status, campaign }: Search): string {
  if (q) return messageText('filtered.query', { query: q });
  if (status) return messageText('filtered.status', { status: messageText(`status.${status}`) });
  return messageText(campaign === undefined ? 'filtered.days' : 'filtered.campaign');
}
