import type { ToolName } from '#client';
import { notify } from '../data/notices.js';
import { reportFailure } from '../data/report-failure.js';
import { currentSession } from '../data/session.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { approvalText } from '../messages/en/approvals.js';
import { commonText } from '../messages/en/common.js';
import { dateTime } from '../messages/format.js';
import { Button, buttonClass } from '../ui/button.js';
import { Callout } from '../ui/states.js';
import { ScreenLink } from './screen-link.js';
import { useWaitingApproval } from './use-waiting-approval.js';

/** Says on a record's page since when a call on it waits, and who asked; the asker can withdraw it. */
export function WaitingApproval({ tool, id }: { tool: ToolName; id: string }) {
  const waiting = useWaitingApproval(tool, id);
  const withdraw = useAction(actions.withdraw_approval());
  if (!waiting) return null;
  const { id: approvalId, asker, askedAt } = waiting;
  const isOwn = asker.kind === 'USER' && asker.id === currentSession()?.user.id;
  const takeBack = async () => {
    await withdraw.run({ approvalId });
    notify({ kind: 'done', text: approvalText('withdrawn') });
  };
  return (
    <div className="mb-4" data-waiting="">
      <Callout
        tone="warn"
        action={
          <span className="flex flex-wrap gap-2">
            {isOwn && (
              <Button small busy={withdraw.isPending} onClick={() => void takeBack().catch(reportFailure)}>
                {approvalText('withdraw')}
              </Button>
            )}
            <ScreenLink screen="approval" params={{ approvalId }} className={buttonClass('plain', true)}>
              {commonText('approval.open')}
            </ScreenLink>
          </span>
        }
      >
        {approvalText('waits', { at: dateTime(askedAt), name: asker.name })}
      </Callout>
    </div>
  );
}
