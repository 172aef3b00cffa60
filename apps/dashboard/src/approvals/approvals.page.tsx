import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import * as z from 'zod/mini';
import { pages, queries } from '../data/tools.calls.js';
import { approvalText } from '../messages/en/approvals.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Page } from '../parts/page.js';
import { ScreenLink } from '../parts/screen-link.js';
import { useScreenSearch } from '../parts/screen-search.js';
import { StatusTabs } from '../parts/status-tabs.js';
import { Button } from '../ui/button.js';
import { classNames } from '../ui/class-names.js';
import { Icon } from '../ui/icon.js';
import { Skeleton } from '../ui/states.js';
import { ApprovalDetail } from './approval-detail.js';
import { ApprovalList } from './approval-list.js';
import type { ListedApproval } from './approval-state.js';
import { approvalViews } from './approval-view.js';
import type { ApprovalView } from './approval-view.js';
import { NoApprovals } from './no-approvals.js';

const searchPart = z.object({ state: z.optional(z.enum(approvalViews)) });

const decided: ListedApproval['state'][] = [
  'EXECUTING',
  'EXECUTED',
  'FAILED',
  'REJECTED',
  'EXPIRED',
  'WITHDRAWN',
  'APPROVED',
];
const inputs: Record<ApprovalView, { states?: ListedApproval['state'][]; mine?: boolean }> = {
  waiting: { states: ['PENDING'] },
  decided: { states: decided },
  mine: { mine: true },
};

/** The inbox: what waits for a decision, the oldest first, and beside it the one that is open. */
export function ApprovalsPage() {
  const { approvalId }: { approvalId?: string } = useParams({ strict: false });
  const [{ state: view = 'waiting' }, setSearch] = useScreenSearch(searchPart);
  const list = useInfiniteQuery(pages.list_approvals({ limit: 100, ...inputs[view] }));
  const { data: waiting } = useQuery(queries.list_approvals({ states: ['PENDING'], limit: 1 }));
  const listed = (list.data?.pages ?? []).flatMap(({ approvals }) => approvals);
  const approvals = view === 'waiting' ? listed.toReversed() : listed;
  // Without one in the address, the first is open; it stays open when the list changes.
  const [first, setFirst] = useState<string | null>(null);
  if (first === null && approvals.length > 0 && !list.isPlaceholderData) setFirst(approvals[0]!.id);
  const open = approvalId ?? first;
  const pending = waiting?.pending ?? 0;
  return (
    <Page
      title={pending > 0 ? approvalText('titleWaiting', { count: pending }) : approvalText('title')}
      heading={approvalText('title')}
      fill
    >
      <div className={classNames('pb-3', approvalId !== undefined && 'max-lg:hidden')}>
        <StatusTabs
          label={approvalText('view')}
          value={view}
          onChange={(value) => {
            setFirst(null);
            setSearch({ state: value === 'waiting' ? undefined : value });
          }}
          tabs={approvalViews.map((value) => ({
            value,
            label: approvalText(`view.${value}`),
            ...(value === 'waiting' && waiting && { count: pending }),
          }))}
        />
      </div>
      {approvalId !== undefined && (
        <ScreenLink
          screen="approvals"
          search={{ state: view === 'waiting' ? undefined : view }}
          className="flex items-center gap-1 pb-3 text-soft hover:text-ink lg:hidden"
        >
          <Icon name="chevronLeft" />
          {approvalText('all')}
        </ScreenLink>
      )}
      {list.error && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && !list.error && <Skeleton className="h-24" />}
      {list.data && open === null && <NoApprovals view={view} />}
      {open !== null && (
        <div className="flex min-h-0 flex-1 gap-6">
          <div
            className={classNames('w-full shrink-0 overflow-auto lg:w-80', approvalId !== undefined && 'max-lg:hidden')}
          >
            {approvals.length === 0 && list.data && <NoApprovals view={view} />}
            <ApprovalList approvals={approvals} open={open} view={view} />
            {list.hasNextPage && (
              <Button small className="my-3" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                {approvalText('more')}
              </Button>
            )}
          </div>
          <div
            className={classNames(
              '-mx-1 min-w-0 flex-1 overflow-auto px-1',
              approvalId === undefined && 'max-lg:hidden',
            )}
          >
            <ApprovalDetail key={open} approvalId={open} />
          </div>
        </div>
      )}
    </Page>
  );
}
