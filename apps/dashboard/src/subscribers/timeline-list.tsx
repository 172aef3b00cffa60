import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { pages, queries } from '../data/tools.calls.js';
import { dateTime, relative } from '../messages/format.js';
import { outcomeText, reasonText } from '../messages/en/api-words.js';
import { lineText, personText } from '../messages/en/subscriber.js';
import { stepText } from '../messages/en/workflow-steps.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { ScreenLink } from '../parts/screen-link.js';
import { StatusTabs } from '../parts/status-tabs.js';
import { Button } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import type { IconName } from '../ui/icon.js';
import { Badge, EmptyState, Skeleton } from '../ui/states.js';
import type { Tone } from '../ui/states.js';
import { detailOf, eventTypesOf, iconOf, sentenceOf, timelineOf, timelineTabs } from './timeline.js';
import type { Run, SentMail, TimelineLine, TimelineTab } from './timeline.js';

const eventsPerPage = 50;
const mailsMax = 100;

/** Everything that happened to one person: history, mails and workflow runs as one list, newest first. */
export function TimelineList({
  subscriberId,
  tab,
  onTab,
}: {
  subscriberId: string;
  tab: TimelineTab;
  onTab: (tab: TimelineTab) => void;
}) {
  const history = useInfiniteQuery(
    pages.search_subscriber_events({ subscriberId, eventTypes: eventTypesOf[tab], limit: eventsPerPage }),
  );
  const hasMails = tab === 'all' || tab === 'mail';
  const hasRuns = tab === 'all' || tab === 'workflows';
  const mails = useQuery({ ...queries.get_subscriber_emails({ subscriberId, limit: mailsMax }), enabled: hasMails });
  const runs = useQuery({ ...queries.get_subscriber_workflow_runs({ subscriberId }), enabled: hasRuns });
  const lines = timelineOf({
    events: history.data?.pages.flatMap(({ events }) => events) ?? [],
    mails: (hasMails && mails.data?.emails) || [],
    runs: (hasRuns && runs.data?.runs) || [],
    isWhole: !history.hasNextPage,
  });
  const failed = [history, mails, runs].filter(({ error }) => error);
  return (
    <section aria-label={personText('timeline')} className="min-w-0">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line pb-2">
        <h2 className="font-semibold">{personText('timeline')}</h2>
        <StatusTabs
          label={personText('timeline')}
          value={tab}
          onChange={onTab}
          tabs={timelineTabs.map((value) => ({ value, label: personText(`tab.${value}`) }))}
        />
      </div>
      {failed.map(({ error, refetch }, place) => (
        <div key={place} className="pt-3">
          <ErrorNotice error={error} onRetry={() => void refetch()} />
        </div>
      ))}
      {history.isPending ? (
        <LoadingLines />
      ) : (
        <ol>
          {lines.map((line) => (
            <Line key={line.key} line={line} />
          ))}
        </ol>
      )}
      {!history.isPending && lines.length === 0 && failed.length === 0 && (
        <EmptyState icon="clock" title={personText(tab === 'all' ? 'timeline.empty' : 'timeline.none')}>
          {tab === 'all' && personText('timeline.emptyLead')}
        </EmptyState>
      )}
      {history.hasNextPage && (
        <Button className="mt-3" busy={history.isFetchingNextPage} onClick={() => void history.fetchNextPage()}>
          {personText('timeline.more')}
        </Button>
      )}
    </section>
  );
}

function LoadingLines() {
  return (
    <div aria-busy="true">
      {[0, 1, 2, 3].map((place) => (
        <div key={place} className="flex items-center gap-3 py-3.5">
          <Skeleton className="size-5 rounded-full" />
          <Skeleton className="h-3 w-2/5" />
        </div>
      ))}
    </div>
  );
}

function Line({ line }: { line: TimelineLine }) {
  switch (line.kind) {
    case 'mail':
      return <MailLine mail={line.mail} />;
    case 'run':
      return <RunLine run={line.run} />;
    case 'event':
      return (
        <LineFrame
          at={line.at}
          icon={iconOf(line.event)}
          title={sentenceOf(line.event)}
          detail={detailOf(line.event)}
        />
      );
  }
}

const mailTones: Record<SentMail['status'], Tone> = {
  PENDING: 'info',
  SENT: 'plain',
  DELIVERED: 'good',
  BOUNCED: 'bad',
  COMPLAINED: 'bad',
};

function MailLine({ mail }: { mail: SentMail }) {
  const { id, subject, status, campaignName, campaignId, sentAt, openedAt, clickedAt, simulated } = mail;
  const details = [
    openedAt && lineText('mail.opened', { at: dateTime(openedAt) }),
    clickedAt && lineText('mail.clicked', { at: dateTime(clickedAt) }),
    simulated && lineText('simulated'),
  ].filter(Boolean);
  return (
    <LineFrame
      at={sentAt}
      icon="mail"
      title={
        <ScreenLink screen="message" params={{ messageId: id }} className="font-medium hover:underline">
          {lineText('MAIL', { subject })}
        </ScreenLink>
      }
      badge={<Badge tone={mailTones[status]}>{lineText(`mail.${status}`)}</Badge>}
      detail={
        <>
          {campaignId !== null && (
            <ScreenLink screen="campaign" params={{ campaignId }} className="underline underline-offset-2">
              {campaignName}
            </ScreenLink>
          )}
          {campaignId !== null && details.length > 0 && ' · '}
          {details.join(' · ')}
        </>
      }
    />
  );
}

const runTones: Record<Run['status'], Tone> = {
  ACTIVE: 'info',
  WAITING: 'info',
  COMPLETED: 'good',
  CANCELED: 'plain',
  FAILED: 'bad',
};

function RunLine({ run }: { run: Run }) {
  const { workflowId, workflowName, status, currentStep, nextActionAt, startedAt, reason, history } = run;
  const step = currentStep.name ?? stepText(`type.${currentStep.type}` as Parameters<typeof stepText>[0]);
  const isOpen = status === 'ACTIVE' || status === 'WAITING';
  const now = nextActionAt
    ? lineText('run.until', { step, at: dateTime(nextActionAt) })
    : lineText('run.step', { step });
  return (
    <LineFrame
      at={startedAt}
      icon="workflow"
      title={
        <ScreenLink screen="workflow" params={{ workflowId }} className="font-medium hover:underline">
          {lineText('RUN', { workflow: workflowName })}
        </ScreenLink>
      }
      badge={<Badge tone={runTones[status]}>{lineText(`run.${status}`)}</Badge>}
      detail={[isOpen && now, reason !== null && reasonText(reason)].filter(Boolean).join(' · ')}
    >
      {history.length > 0 && (
        <details className="mt-1 text-sm">
          <summary className="w-fit text-soft hover:text-ink">{personText('details')}</summary>
          <ul className="mt-1 border-s border-line ps-3">
            {history.map((entry, place) => (
              <li key={place} className="py-0.5 text-soft wrap-anywhere">
                {historyText(entry)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </LineFrame>
  );
}

/** A line of a run's history: when, which step, and what came of it. */
const historyText = ({ at, stepId, outcome }: Run['history'][number]): string =>
  [dateTime(at), stepId, outcomeText(outcome)].join(' · ');

function LineFrame({
  at,
  icon,
  title,
  badge,
  detail,
  children,
}: {
  at: string | null;
  icon: IconName;
  title: ReactNode;
  badge?: ReactNode;
  detail?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <li className="flex gap-3 border-b border-line py-2.5">
      <span className="mt-0.5 grid size-6 shrink-0 place-items-center rounded-full bg-sunk text-soft">
        <Icon name={icon} size={13} />
      </span>
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
          <span className="min-w-0 wrap-anywhere">{title}</span>
          {badge}
        </div>
        {detail !== undefined && detail !== '' && <div className="text-sm text-soft wrap-anywhere">{detail}</div>}
        {children}
      </div>
      <time
        dateTime={at ?? undefined}
        title={at === null ? undefined : dateTime(at, 'UTC')}
        className="shrink-0 pt-0.5 text-end text-sm text-soft tabular"
      >
        {at === null ? personText('now') : <Instant at={at} />}
      </time>
    </li>
  );
}

function Instant({ at }: { at: string }) {
  return (
    <>
      <span className="hidden sm:inline">{dateTime(at)}</span>
      <span className="sm:hidden">{relative(at, Date.now())}</span>
    </>
  );
}
