import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ToolData } from '#client';
import { notify } from '../data/notices.js';
import { reportFailure } from '../data/report-failure.js';
import { actions, pages, queries } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { reasonText } from '../messages/en/api-words.js';
import { campaignText } from '../messages/en/campaigns.js';
import { dateTime, number } from '../messages/format.js';
import { mayAct } from '../parts/own-role.js';
import { RecordList } from '../parts/record-list.js';
import type { Column } from '../parts/record-row.js';
import { SearchField } from '../parts/search-field.js';
import { Button } from '../ui/button.js';
import { Check } from '../ui/field.js';
import { EmptyState } from '../ui/states.js';
import type { Outcome } from './outcomes.js';

type Recipient = ToolData<'list_campaign_recipients'>['recipients'][number];

const none = <span className="text-soft">–</span>;

const columns: readonly Column<Recipient>[] = [
  { id: 'email', header: campaignText('recipient.email'), width: 'minmax(0, 1.4fr)', cell: ({ email }) => email },
  {
    id: 'reason',
    header: campaignText('recipient.reason'),
    phone: 'aside',
    cell: ({ reason }) => (reason === null ? none : reasonText(reason)),
  },
  {
    id: 'response',
    header: campaignText('recipient.response'),
    width: 'minmax(0, 1.8fr)',
    phone: 'detail',
    cell: ({ response }) =>
      response === null ? (
        none
      ) : (
        <span className="font-mono text-xs" title={response}>
          {response}
        </span>
      ),
  },
  {
    id: 'attempts',
    header: campaignText('recipient.attempts'),
    width: '5rem',
    align: 'end',
    cell: ({ attempts }) => number(attempts),
  },
  {
    id: 'when',
    header: campaignText('recipient.when'),
    width: '11.5rem',
    align: 'end',
    cell: ({ deliveredAt, sentAt }) => {
      const at = deliveredAt ?? sentAt;
      return at === null ? none : <span className="text-soft">{dateTime(at)}</span>;
    },
  },
];

/**
 * The recipients of one outcome, with reason and the server's reply.
 * @param isRetryAsked asks at once whether to retry them
 */
export function RecipientList({
  campaignId,
  outcome,
  isRetryAsked,
}: {
  campaignId: string;
  outcome: Outcome;
  isRetryAsked: boolean;
}) {
  const [query, setQuery] = useState('');
  return (
    <section aria-label={campaignText(`outcome.${outcome}`)} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <SearchField
          label={campaignText('outcome.search')}
          value={query}
          onChange={setQuery}
          className="w-full sm:w-72"
        />
        {mayAct('editor') && <Retry campaignId={campaignId} outcome={outcome} isAsked={isRetryAsked} />}
      </div>
      <div className="flex h-96 min-h-0 flex-col">
        <RecordList
          label={campaignText(`outcome.${outcome}`)}
          query={pages.list_campaign_recipients({
            campaignId,
            statuses: [outcome],
            limit: 100,
            ...(query && { query }),
          })}
          rowsOf={({ recipients }) => recipients}
          idOf={({ messageId }) => messageId}
          columns={columns}
          target={({ subscriberId }) => ({ screen: 'subscriber', params: { subscriberId } })}
          filtered={query !== '' && { what: campaignText('filtered.query', { query }), clear: () => setQuery('') }}
          empty={<EmptyState icon="people" title={campaignText('outcome.empty')} />}
        />
      </div>
    </section>
  );
}

/** Outcomes of which some recipients may be tried again. */
export const retried: readonly Outcome[] = ['FAILED', 'BOUNCED', 'SKIPPED', 'IN_DOUBT'];

const retryPage = 100;

/** Retries all recipients of the campaign that can be retried, whatever their outcome; the button says how many. */
function Retry({ campaignId, outcome, isAsked }: { campaignId: string; outcome: Outcome; isAsked: boolean }) {
  const [isInDoubt, setInDoubt] = useState(false);
  const { data } = useQuery({
    ...queries.list_campaign_recipients({ campaignId, statuses: [...retried], limit: retryPage }),
    enabled: retried.includes(outcome),
  });
  const countOf = (answer: Recipient['canRetry']) =>
    data?.recipients.filter(({ canRetry }) => canRetry === answer).length ?? 0;
  const inDoubt = countOf('IF_ASKED');
  const count = countOf('YES') + (isInDoubt ? inDoubt : 0);
  const isExact = data?.nextCursor == null;
  const button = campaignText(isExact ? 'retry.button' : 'retry.many', { count });
  const retry = useAction(actions.retry_campaign());
  const run = async () => {
    const done = await retry.run({ campaignId, ...(isInDoubt && { inDoubt: true }) }, { button });
    const all = campaignText('retry.done', { count: done.retried + done.inDoubt });
    const twice = done.inDoubt > 0 ? ` ${campaignText('retry.doneInDoubt', { count: done.inDoubt })}` : '';
    notify({ kind: 'done', text: all + twice });
  };
  useOnceWhen(isAsked && count > 0, () => void run().catch(reportFailure));
  if (!retried.includes(outcome) || !data) return null;
  if (isExact && countOf('YES') === 0 && inDoubt === 0)
    return <p className="text-sm text-soft">{campaignText('retry.none')}</p>;
  return (
    <div className="flex flex-wrap items-center gap-4 sm:ms-auto">
      {inDoubt > 0 && (
        <Check
          label={campaignText('retry.inDoubt')}
          hint={campaignText('retry.inDoubtHint')}
          checked={isInDoubt}
          onChange={({ target }) => setInDoubt(target.checked)}
        />
      )}
      <Button
        data-retry=""
        busy={retry.isPending}
        disabled={isExact && count === 0}
        onClick={() => void run().catch(reportFailure)}
      >
        {button}
      </Button>
    </div>
  );
}

/** Acts the first time that something is true. */
function useOnceWhen(isTrue: boolean, act: () => void): void {
  const isDone = useRef(false);
  useEffect(() => {
    if (!isTrue || isDone.current) return;
    isDone.current = true;
    act();
  });
}
