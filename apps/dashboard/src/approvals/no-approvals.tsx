import { currentMembership } from '../data/session.js';
import { approvalText } from '../messages/en/approvals.js';
import { isAtLeast } from '../parts/screen.js';
import { ScreenLink } from '../parts/screen-link.js';
import { buttonClass } from '../ui/button.js';
import { EmptyState } from '../ui/states.js';
import type { ApprovalView } from './approval-view.js';

/** What would come here, and how it comes. */
export function NoApprovals({ view }: { view: ApprovalView }) {
  const own = currentMembership();
  return (
    <EmptyState
      icon="approval"
      title={approvalText(`empty.${view}.title`)}
      action={
        view === 'waiting' &&
        own &&
        isAtLeast(own.role, 'admin') && (
          <ScreenLink screen="tokens" search={{ new: true }} className={buttonClass()}>
            {approvalText('empty.waiting.action')}
          </ScreenLink>
        )
      }
    >
      {approvalText(`empty.${view}.lead`)}
    </EmptyState>
  );
}
