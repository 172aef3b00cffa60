import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { announce, announcement, onAnnouncement } from '../data/announcements.js';
import { dismiss, onNotices, shownNotices } from '../data/notices.js';
import type { Notice } from '../data/notices.js';
import { reportFailure } from '../data/report-failure.js';
import { onWaits, waitingUntil } from '../data/waits.js';
import { ScreenLink } from '../parts/screen-link.js';
import { commonText } from '../messages/en/common.js';
import { shellText } from '../messages/en/shell.js';
import { Boundary } from '../ui/boundary.js';
import { Button, IconButton, Spinner } from '../ui/button.js';
import { Icon } from '../ui/icon.js';

const shownMs = 10_000;

/** The notices at the foot of the page. `z` undoes the last action; the pointer or the focus on one keeps it. */
export function Notices() {
  const spoken = useSyncExternalStore(onAnnouncement, announcement);
  const notices = useSyncExternalStore(onNotices, shownNotices);
  const waits = useSyncExternalStore(onWaits, waitingUntil);
  const ref = useRef<HTMLDivElement>(null);
  // Over dialogs that opened meanwhile.
  useLayoutEffect(() => {
    ref.current?.hidePopover();
    if (notices.length > 0 || waits) ref.current?.showPopover();
  }, [notices, waits]);
  return (
    <>
      <div role="status" className="sr-only">
        {spoken}
      </div>
      <div
        ref={ref}
        popover="manual"
        role="region"
        aria-label={shellText('notices')}
        className="pointer-events-none fixed inset-x-4 top-auto bottom-4 m-0 w-auto flex-col items-center gap-2 overflow-visible border-0 bg-transparent p-0 text-ink open:flex"
      >
        {waits && <Waiting key={waits.getTime()} until={waits} />}
        {notices.map((notice) => (
          <Boundary key={notice.id} fallback={<p className={toastClass}>{notice.text}</p>}>
            <Toast notice={notice} />
          </Boundary>
        ))}
      </div>
    </>
  );
}

/** Says while calls wait that came too fast, and for how long. */
function Waiting({ until }: { until: Date }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    announce(shellText('waiting'));
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(1, Math.ceil((until.getTime() - now) / 1000));
  return (
    <div className="pointer-events-auto flex max-w-lg items-center gap-2 rounded-lg border border-line bg-paper px-3 py-2.5 shadow-float">
      <Spinner />
      <span className="tabular">
        {shellText('waiting')} {shellText('waitingLead', { count: seconds })}
      </span>
    </div>
  );
}

const toastClass =
  'pointer-events-auto flex max-w-lg items-center gap-2 rounded-lg border border-line bg-paper py-1.5 ps-3 pe-1.5 shadow-float';

function Toast({ notice }: { notice: Notice }) {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => dismiss(notice.id), shownMs);
    return () => clearTimeout(timer);
  }, [isHeld, notice.id]);
  return (
    <div
      data-notice={notice.id}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      className={toastClass}
    >
      <Icon
        name={notice.kind === 'done' ? 'check' : notice.kind === 'failed' ? 'warning' : 'approval'}
        className={notice.kind === 'failed' ? 'shrink-0 text-bad' : 'shrink-0 text-good'}
      />
      <span className="min-w-0 flex-1 py-1 wrap-anywhere">{notice.text}</span>
      {notice.undo && (
        <Button
          small
          look="quiet"
          data-undo=""
          onClick={() => {
            dismiss(notice.id);
            void Promise.resolve(notice.undo?.()).catch(reportFailure);
          }}
        >
          {commonText('undo')}
        </Button>
      )}
      {notice.approvalId !== undefined && (
        <ScreenLink
          screen="approval"
          params={{ approvalId: notice.approvalId }}
          onClick={() => dismiss(notice.id)}
          className="px-2 font-medium text-accent hover:underline"
        >
          {commonText('approval.open')}
        </ScreenLink>
      )}
      <IconButton small label={commonText('dismiss')} icon="close" onClick={() => dismiss(notice.id)} />
    </div>
  );
}
