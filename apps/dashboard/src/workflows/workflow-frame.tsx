import { useQuery } from '@tanstack/react-query';
import { useLocation, useParams } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import type { ReactNode } from 'react';
import { queries } from '../data/tools.calls.js';
import { commonText } from '../messages/en/common.js';
import { workflowText } from '../messages/en/workflows.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { mayAct } from '../parts/own-role.js';
import { Page } from '../parts/page.js';
import { addressOf, ScreenLink, useCanOpen, useGo } from '../parts/screen-link.js';
import { buttonClass } from '../ui/button.js';
import { classNames } from '../ui/class-names.js';
import { Icon } from '../ui/icon.js';
import { menuItemClass, Popover } from '../ui/popover.js';
import { Skeleton } from '../ui/states.js';
import { useStatusActions } from './use-status.js';
import { WorkflowBadge } from './workflow-status.js';
import type { Workflow } from './workflow-status.js';

// After the first paint.
const WaitingApproval = lazy(async () => ({ default: (await import('../parts/waiting-approval.js')).WaitingApproval }));

/** The frame of every screen of one workflow: name, status, its parts, what acts on all of it. */
export function WorkflowFrame({
  actions,
  children,
}: {
  /** Beside the menu. */
  actions?: ReactNode;
  children: (workflow: Workflow) => ReactNode;
}) {
  const { workflowId = '' }: { workflowId?: string } = useParams({ strict: false });
  const { data, error, refetch } = useQuery(queries.get_workflow({ workflowId }));
  const workflow = data?.workflow.id === workflowId ? data.workflow : undefined;
  if (!workflow)
    return (
      <Page title={workflowText('title')}>
        {error ? (
          <ErrorNotice error={error} onRetry={() => void refetch()} />
        ) : (
          <div aria-busy="true" role="status" aria-label={commonText('loading')} className="flex flex-col gap-3">
            <Skeleton className="h-8 w-80" />
            <Skeleton className="h-96" />
          </div>
        )}
      </Page>
    );
  return (
    <Page
      title={workflow.name}
      heading={
        <span className="flex flex-wrap items-center gap-2.5">
          <span className="min-w-0 wrap-anywhere" dir="auto">
            {workflow.name}
          </span>
          <WorkflowBadge status={workflow.status} />
        </span>
      }
      actions={
        <>
          {actions}
          {mayAct('editor') && <WorkflowMenu workflow={workflow} />}
        </>
      }
    >
      <Parts workflowId={workflow.id} />
      <Suspense fallback={null}>
        <WaitingApproval tool="publish_workflow" id={workflow.id} />
      </Suspense>
      {children(workflow)}
    </Page>
  );
}

const parts = [
  ['workflowBuild', 'build'],
  ['workflowRuns', 'runs'],
  ['workflowSimulation', 'simulate'],
  ['workflowSettings', 'settings'],
] as const;

function Parts({ workflowId }: { workflowId: string }) {
  const { pathname } = useLocation();
  const canOpen = useCanOpen();
  return (
    <nav
      aria-label={workflowText('parts')}
      className="-mx-4 mb-4 flex shrink-0 gap-1 overflow-x-auto overflow-y-hidden border-b border-line px-4 sm:-mx-8 sm:px-8"
    >
      {parts
        .filter(([screen]) => canOpen(screen))
        .map(([screen, label]) => {
          const isHere = pathname === addressOf({ screen, params: { workflowId } });
          return (
            <ScreenLink
              key={screen}
              screen={screen}
              params={{ workflowId }}
              aria-current={isHere ? 'page' : undefined}
              className={classNames(
                'flex h-9 shrink-0 items-center border-b-2 px-2.5 font-medium focus-visible:-outline-offset-2',
                isHere ? 'border-accent text-ink' : 'border-transparent text-soft hover:text-ink',
              )}
            >
              {workflowText(label)}
            </ScreenLink>
          );
        })}
    </nav>
  );
}

function WorkflowMenu({ workflow }: { workflow: Workflow }) {
  const go = useGo();
  const actionsOf = useStatusActions(() => go({ screen: 'workflows' }));
  return (
    <Popover
      align="end"
      label={workflowText('more', { name: workflow.name })}
      button={<Icon name="more" />}
      buttonClassName={classNames(buttonClass('plain'), 'w-8 px-0!')}
    >
      {(close) =>
        actionsOf(workflow).map(({ text, icon, isDanger, act }) => (
          <button
            key={text}
            type="button"
            className={classNames(menuItemClass, isDanger && 'text-bad')}
            onClick={() => {
              close();
              void act();
            }}
          >
            <Icon name={icon} />
            {text}
          </button>
        ))
      }
    </Popover>
  );
}
