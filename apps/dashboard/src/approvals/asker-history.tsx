import { useQuery } from '@tanstack/react-query';
import { queries } from '../data/tools.calls.js';
import { currentMembership } from '../data/session.js';
import { approvalText } from '../messages/en/approvals.js';
import { dateTime } from '../messages/format.js';
import { isAtLeast } from '../parts/screen.js';
import { Section } from '../ui/section.js';
import { toolWords } from './approval-state.js';
import type { Approval } from './approval-state.js';

const hourMs = 3_600_000;

/** What else the asker did in the hour before the call; the audit log is for admins. */
export function AskerHistory({ approval: { asker, askedAt } }: { approval: Approval }) {
  const own = currentMembership();
  const mayRead = own !== null && isAtLeast(own.role, 'admin');
  const { data } = useQuery({
    ...queries.list_audit_entries({
      actorId: asker.id,
      since: new Date(new Date(askedAt).getTime() - hourMs).toISOString(),
      until: askedAt,
      limit: 20,
    }),
    enabled: mayRead,
  });
  if (!mayRead || !data) return null;
  return (
    <Section title={approvalText('lastHour', { name: asker.name })}>
      {data.entries.length === 0 ? (
        <p className="text-soft">{approvalText('lastHourNone')}</p>
      ) : (
        <ul className="divide-y divide-line border-y border-line">
          {data.entries.map(({ id, at, tool, target, outcome }) => (
            <li key={id} className="flex flex-wrap gap-x-4 py-1.5 text-sm">
              <span className="text-soft tabular">{dateTime(at)}</span>
              <span className="min-w-0 flex-1 wrap-anywhere">
                {toolWords(tool)}
                {target !== null && <span className="text-soft"> {target}</span>}
              </span>
              <span className={outcome === 'OK' ? 'text-soft' : 'text-bad'}>{outcome}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
