import { useQuery } from '@tanstack/react-query';
import { useLocation, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import type { ReactNode } from 'react';
import { notify } from '../data/notices.js';
import { reportFailure } from '../data/report-failure.js';
import { actions, queries } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { campaignText } from '../messages/en/campaigns.js';
import { commonText } from '../messages/en/common.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { mayAct } from '../parts/own-role.js';
import { Page } from '../parts/page.js';
import { addressOf, ScreenLink, useGo } from '../parts/screen-link.js';
import { buttonClass } from '../ui/button.js';
import { classNames } from '../ui/class-names.js';
import { Icon } from '../ui/icon.js';
import { menuItemClass, Popover } from '../ui/popover.js';
import { Skeleton } from '../ui/states.js';
import { CampaignBadge } from './campaign-status.js';
import type { Campaign, CampaignStatus } from './campaign-status.js';

// After the first paint.
const WaitingApproval = lazy(async () => ({ default: (await import('../parts/waiting-approval.js')).WaitingApproval }));

/** The id in the address. */
export const useCampaignId = (): string => String(useParams({ strict: false }).campaignId);

type StepScreen = 'campaignWrite' | 'campaignAudience' | 'campaignReview' | 'campaignReport' | 'campaignHistory';

/** The screens of a campaign in each state: what cannot be done then is absent. */
const stepsOf = (status: CampaignStatus): readonly (readonly [StepScreen, string])[] => {
  const history = ['campaignHistory', campaignText('history')] as const;
  if (status === 'DRAFT')
    return [
      ['campaignWrite', campaignText('write')],
      ['campaignAudience', campaignText('audience')],
      ['campaignReview', campaignText('review')],
      history,
    ];
  const content = ['campaignWrite', campaignText('content')] as const;
  const audience = ['campaignAudience', campaignText('audience')] as const;
  if (status === 'ARCHIVED') return [content, history];
  return [['campaignReport', campaignText('report')], content, audience, history];
};

/** The frame of every screen of one campaign: name, status, steps, what acts on all of it. */
export function CampaignFrame({
  fill = false,
  status,
  children,
}: {
  fill?: boolean;
  /** Beside the menu: whether it is saved. */
  status?: ReactNode;
  children: (campaign: Campaign) => ReactNode;
}) {
  const campaignId = useCampaignId();
  const { data, error, refetch } = useQuery(queries.get_campaign({ campaignId }));
  const campaign = data?.campaign.id === campaignId ? data.campaign : undefined;
  if (!campaign)
    return (
      <Page title={campaignText('title')}>
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
      title={campaign.name}
      fill={fill}
      heading={
        <span className="flex flex-wrap items-center gap-2.5">
          {campaign.name}
          <CampaignBadge status={campaign.status} />
        </span>
      }
      actions={
        <>
          {status}
          {mayAct('editor') && <CampaignMenu campaign={campaign} />}
        </>
      }
    >
      <Steps campaign={campaign} />
      <Suspense fallback={null}>
        <WaitingApproval tool="schedule_campaign" id={campaign.id} />
      </Suspense>
      {children(campaign)}
    </Page>
  );
}

function Steps({ campaign: { id: campaignId, status } }: { campaign: Campaign }) {
  const { pathname } = useLocation();
  useNextStepKey(campaignId, status);
  return (
    <nav
      aria-label={campaignText('steps')}
      className="-mx-4 mb-4 flex shrink-0 gap-1 overflow-x-auto overflow-y-hidden border-b border-line px-4 sm:-mx-8 sm:px-8"
    >
      {stepsOf(status).map(([screen, label]) => {
        const isHere = pathname === addressOf({ screen, params: { campaignId } });
        return (
          <ScreenLink
            key={screen}
            screen={screen}
            params={{ campaignId }}
            aria-current={isHere ? 'page' : undefined}
            className={classNames(
              'flex h-9 shrink-0 items-center border-b-2 px-2.5 font-medium focus-visible:-outline-offset-2',
              isHere ? 'border-accent text-ink' : 'border-transparent text-soft hover:text-ink',
            )}
          >
            {label}
          </ScreenLink>
        );
      })}
    </nav>
  );
}

/** Mod+Enter leads from step to step of a draft, and on the last presses the button that sends. */
function useNextStepKey(campaignId: string, status: CampaignStatus): void {
  const go = useGo();
  const { pathname } = useLocation();
  useEffect(() => {
    if (status !== 'DRAFT') return;
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      // Before the editor, which would break the line.
      event.stopPropagation();
      const isAt = (screen: StepScreen) => pathname === addressOf({ screen, params: { campaignId } });
      if (isAt('campaignWrite')) go({ screen: 'campaignAudience', params: { campaignId } });
      else if (isAt('campaignAudience')) go({ screen: 'campaignReview', params: { campaignId } });
      else document.querySelector<HTMLElement>('[data-send]')?.click();
    };
    document.addEventListener('keydown', press, { capture: true });
    return () => document.removeEventListener('keydown', press, { capture: true });
  });
}

type MenuItem = readonly [label: string, icon: 'copy' | 'trash' | 'download' | 'upload', act: () => Promise<unknown>];

function CampaignMenu({ campaign: { id: campaignId, status } }: { campaign: Campaign }) {
  const go = useGo();
  const duplicate = useAction(actions.duplicate_campaign());
  const archive = useAction(actions.archive_campaign({ button: campaignText('archive') }));
  const unarchive = useAction(actions.unarchive_campaign());
  const remove = useAction(actions.delete_campaign({ button: campaignText('delete.button') }));
  const copy = async () => {
    const copied = await duplicate.run({ campaignId });
    notify({ kind: 'done', text: campaignText('duplicated') });
    go({ screen: 'campaignWrite', params: { campaignId: copied.campaignId } });
  };
  const discard = async () => {
    await remove.run({ campaignId });
    notify({ kind: 'done', text: campaignText('deleted') });
    go({ screen: 'campaigns' });
  };
  const items: readonly MenuItem[] = [
    [campaignText('duplicate'), 'copy', copy],
    ...(status === 'DRAFT'
      ? ([
          [campaignText('archive'), 'download', () => archive.run({ campaignId })],
          [campaignText('delete'), 'trash', discard],
        ] as const)
      : []),
    ...(status === 'ARCHIVED'
      ? ([[campaignText('unarchive'), 'upload', () => unarchive.run({ campaignId })]] as const)
      : []),
  ];
  return (
    <Popover
      label={campaignText('more')}
      align="end"
      button={<Icon name="more" />}
      buttonClassName={buttonClass('plain')}
    >
      {(close) =>
        items.map(([label, icon, act]) => (
          <button
            key={label}
            type="button"
            className={menuItemClass}
            onClick={() => {
              close();
              act().catch(reportFailure);
            }}
          >
            <Icon name={icon} />
            {label}
          </button>
        ))
      }
    </Popover>
  );
}
