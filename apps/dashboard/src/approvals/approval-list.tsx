import { approvalText } from '../messages/en/approvals.js';
import { dateTime, relative } from '../messages/format.js';
import { ScreenLink } from '../parts/screen-link.js';
import { classNames } from '../ui/class-names.js';
import { ApprovalBadge } from './approval-state.js';
import type { ListedApproval } from './approval-state.js';
import type { ApprovalView } from './approval-view.js';

/** The calls of the inbox in few words; the one that is open stands out. */
export function ApprovalList({
  approvals,
  open,
  view,
}: {
  approvals: readonly ListedApproval[];
  open: string;
  view: ApprovalView;
}) {
  const now = Date.now();
  return (
    <ul className="flex flex-col">
      {approvals.map(({ id, state, message, asker, askedAt }, place) => (
        <li key={id} data-place={place} className="border-b border-line">
          <ScreenLink
            screen="approval"
            params={{ approvalId: id }}
            search={{ state: view === 'waiting' ? undefined : view }}
            data-row=""
            aria-current={id === open ? 'true' : undefined}
            className={classNames(
              'block rounded-md px-2.5 py-2.5 focus-visible:-outline-offset-2',
              id === open ? 'hover:bg-ground lg:bg-accent-soft' : 'hover:bg-ground',
            )}
          >
            <span className="flex items-center gap-2 text-sm text-soft">
              <span className="min-w-0 flex-1 truncate">{asker.name}</span>
              {view === 'waiting' ? (
                <time dateTime={askedAt} title={dateTime(askedAt)} className="shrink-0">
                  {relative(askedAt, now)}
                </time>
              ) : (
                <ApprovalBadge state={state} />
              )}
            </span>
            <span className="mt-0.5 line-clamp-2 wrap-anywhere">{message}</span>
            {view !== 'waiting' && (
              <time dateTime={askedAt} className="mt-0.5 block text-sm text-soft">
                {approvalText('since', { at: dateTime(askedAt), ago: relative(askedAt, now) })}
              </time>
            )}
          </ScreenLink>
        </li>
      ))}
    </ul>
  );
}
