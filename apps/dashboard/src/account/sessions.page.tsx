import { useQuery, useQueryClient } from '@tanstack/react-query';
import { callSession } from '../data/session.js';
import { notify } from '../data/notices.js';
import { reportFailure } from '../data/report-failure.js';
import { accountText } from '../messages/en/account.js';
import { dateTime } from '../messages/format.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Page } from '../parts/page.js';
import { Button } from '../ui/button.js';
import { Badge, Skeleton } from '../ui/states.js';
import { browserName } from './browser-name.js';

interface ListedSession {
  id: string;
  browser: string | null;
  ip: string | null;
  createdAt: string;
  lastUsedAt: string;
  current: boolean;
}
const key = [null, 'sessions'];

/** Where the user is signed in, and the end of it. */
export function SessionsPage() {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: key,
    queryFn: () => callSession<{ sessions: ListedSession[] }>('GET', '/others'),
  });
  const end = async (which: { id?: string }) => {
    try {
      const { ended } = await callSession<{ ended: number }>('DELETE', '/others', which);
      notify({ kind: 'done', text: accountText('sessions.ended', { count: ended }) });
      await client.invalidateQueries({ queryKey: key });
    } catch (refusal) {
      reportFailure(refusal);
    }
  };
  const sessions = data?.sessions ?? [];
  return (
    <Page
      title={accountText('sessions.title')}
      lead={accountText('sessions.lead')}
      wide={false}
      actions={sessions.length > 1 && <Button onClick={() => void end({})}>{accountText('sessions.endOthers')}</Button>}
    >
      {error && <ErrorNotice error={error} isStale={data !== undefined} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-24" />}
      <ul className="divide-y divide-line">
        {sessions.map(({ id, browser, ip, createdAt, lastUsedAt, current }) => (
          <li key={id} className="flex items-center gap-4 py-3">
            <div className="min-w-0 flex-1">
              <p className="flex items-center gap-2 font-medium">
                {browser === null ? accountText('sessions.unknown') : browserName(browser)}
                {current && <Badge tone="good">{accountText('sessions.current')}</Badge>}
              </p>
              <p className="text-sm text-soft">
                {[
                  ip,
                  accountText('sessions.since', { at: dateTime(createdAt) }),
                  accountText('sessions.lastUsed', { at: dateTime(lastUsedAt) }),
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </p>
            </div>
            {!current && (
              <Button small onClick={() => void end({ id })}>
                {accountText('sessions.end')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Page>
  );
}
