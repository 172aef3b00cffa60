import { useQuery } from '@tanstack/react-query';
import type { ToolData } from '#client';
import { queries } from '../data/tools.calls.js';
import { dateTime, number, relative } from '../messages/format.js';
import { installationText } from '../messages/en/installation.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { ScreenLink } from '../parts/screen-link.js';
import { Bar } from '../ui/bar.js';
import { Section } from '../ui/section.js';
import { Badge, Skeleton } from '../ui/states.js';

const shownMax = 10;

/** The sends of the organization that run or pause, each with the state of its relay. */
export function SendsUnderWay() {
  const running = useQuery(queries.list_sends({ state: 'RUNNING', limit: shownMax }));
  const paused = useQuery(queries.list_sends({ state: 'PAUSED', limit: shownMax }));
  const sends = [...(running.data?.sends ?? []), ...(paused.data?.sends ?? [])];
  const error = running.error ?? paused.error;
  const isThere = running.data !== undefined && paused.data !== undefined;
  const hasMore = [running, paused].some(({ data }) => (data?.nextCursor ?? null) !== null);
  return (
    <Section title={installationText('sends')}>
      {error && <ErrorNotice error={error} onRetry={() => void Promise.all([running.refetch(), paused.refetch()])} />}
      {!isThere && !error && <Skeleton className="h-24" />}
      {isThere && (
        <ul className="divide-y divide-line border-y border-line">
          {sends.length === 0 && <li className="py-3 text-soft">{installationText('sends.none')}</li>}
          {sends.map(({ sendId, campaignId, campaignName }) => (
            <SendLine key={sendId} sendId={sendId} campaignId={campaignId} name={campaignName} />
          ))}
        </ul>
      )}
      {hasMore && <p className="mt-2 text-sm text-soft">{installationText('sends.more')}</p>}
    </Section>
  );
}

function SendLine({ sendId, campaignId, name }: { sendId: string; campaignId: string; name: string }) {
  const { data, error } = useQuery(queries.get_send({ sendId }));
  return (
    <li className="flex flex-col gap-2 py-3">
      <div className="flex items-center gap-3">
        <ScreenLink screen="campaignReport" params={{ campaignId }} className="min-w-0 flex-1 truncate font-medium">
          {name}
        </ScreenLink>
        {data && <SendBadge send={data.send} />}
      </div>
      {error && <ErrorNotice error={error} />}
      {data && <SendFacts send={data.send} name={name} />}
    </li>
  );
}

type Send = ToolData<'get_send'>['send'];

function SendBadge({ send: { state, waitingFor } }: { send: Send }) {
  if (state === 'PAUSED') return <Badge tone="warn">{installationText('send.PAUSED')}</Badge>;
  if (waitingFor !== null) return <Badge tone="warn">{installationText('send.waiting', { reason: waitingFor })}</Badge>;
  return <Badge tone="info">{installationText('send.RUNNING')}</Badge>;
}

function SendFacts({ send, name }: { send: Send; name: string }) {
  const { total, pending, deferred, ratePerSecond, etaSeconds, relay } = send;
  const done = total - pending - deferred;
  const now = Date.now();
  const facts = [
    installationText('send.progress', { done: number(done), total: number(total) }),
    ratePerSecond > 0 && installationText('send.rate', { count: Math.round(ratePerSecond) }),
    etaSeconds !== null && installationText('send.left', { when: relative(new Date(now + etaSeconds * 1000), now) }),
  ];
  return (
    <>
      <Bar label={name} share={total > 0 ? done / total : 0} />
      <div className="flex flex-wrap justify-between gap-x-6 gap-y-1 text-sm text-soft tabular">
        <span>{facts.filter(Boolean).join(' · ')}</span>
        <span className={relay.backoffUntil === null ? undefined : 'text-warn'}>{relayText(relay)}</span>
      </div>
    </>
  );
}

function relayText({ relayId: relay, backoffUntil, reason }: Send['relay']): string {
  if (backoffUntil === null) return installationText('relay.ready', { relay });
  const time = dateTime(backoffUntil);
  return reason === null
    ? installationText('relay.waits', { relay, time })
    : installationText('relay.waitsFor', { relay, time, reason });
}
