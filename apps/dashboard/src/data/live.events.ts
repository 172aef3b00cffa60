import type { QueryClient } from '@tanstack/react-query';
import type { ToolName } from '#client';
import { followFactorDuty } from './factor-duty.js';
import type { LiveEvent } from './live-event.js';
import { LiveRefresh } from './live-refresh.js';
import { leadLiveTabs } from './live-tabs.js';
import { liveState, setLiveState } from './live-state.js';
import { followTabs } from './other-tabs.js';
import { askToSignIn } from './prompts.js';
import { currentSession, readSession } from './session.js';

const staleBy: Record<string, readonly ToolName[]> = {
  'campaign.progress': [
    'get_campaign_progress',
    'search_campaigns',
    'get_send',
    'list_sends',
    'list_campaign_recipients',
    'get_campaign_analytics',
  ],
  'campaign.changed': [
    'get_campaign',
    'list_campaigns',
    'search_campaigns',
    'get_campaign_progress',
    'list_campaign_history',
    'list_campaign_recipients',
    'get_campaign_analytics',
  ],
  'import.progress': ['get_subscriber_import', 'list_subscriber_imports'],
  'export.progress': ['get_subscriber_export', 'list_subscriber_exports'],
  'approval.asked': ['list_approvals', 'get_approval'],
  'approval.decided': ['list_approvals', 'get_approval'],
  'workflow.changed': ['get_workflow', 'list_workflows', 'search_workflows'],
  'workflow.flow': ['get_workflow_flow', 'list_workflow_runs'],
  'domain.changed': ['list_domains', 'get_domain_dns_records', 'get_deliverability_health'],
  'organization.changed': ['get_org_stats', 'get_me'],
  'member.changed': ['list_members', 'list_invitations', 'get_me'],
};

const pollMs = 10_000;
/** So long without a stream, and the page polls. */
const patienceMs = 20_000;

/**
 * Follows the changes of others for as long as the page is open. One tab of this browser holds the stream and hands its
 * events to the others; without a stream every tab that is seen polls what it shows.
 * @returns a function that ends it
 */
export function followEvents(client: QueryClient): () => void {
  const refresh = new LiveRefresh(client);
  let liveAt = Date.now();
  const tabs = leadLiveTabs({
    types: [...Object.keys(staleBy), 'reset', 'session.ended'],
    hear: (event) => {
      apply(refresh, event);
    },
    alive: () => {
      liveAt = Date.now();
      // A new stream does not replay what was missed.
      if (liveState() === 'polling') refresh.everything();
      setLiveState('live');
    },
  });
  const endTabs = followTabs((report) => {
    if (report.kind === 'stale') refresh.reads(report.organization, report.tools);
    else if (report.kind === 'signedIn') void readSession();
    else location.assign('/sign-in');
  });
  const endDuty = followFactorDuty(client);
  const timer = setInterval(() => {
    if (Date.now() - liveAt < patienceMs) return;
    setLiveState('polling');
    if (liveState() === 'polling' && document.visibilityState === 'visible') refresh.everything();
  }, pollMs);
  return () => {
    tabs.stop();
    endDuty();
    endTabs();
    refresh.stop();
    clearInterval(timer);
  };
}

function apply(refresh: LiveRefresh, event: LiveEvent): void {
  if (event.type === 'reset') return refresh.everything();
  if (event.type === 'session.ended') return void askToSignIn('signIn');
  const number = currentSession()?.organizations.find(({ id }) => id === event.organization)?.number;
  if (number === undefined) return;
  const { id: campaignId, numbers } = event;
  if (event.type !== 'campaign.progress' || !numbers) return refresh.reads(number, staleBy[event.type] ?? []);
  refresh.show([number, 'get_campaign_progress', { campaignId }], numbers);
  refresh.readsSlowly(number, ['list_campaign_recipients']);
  // The end of a send changes more than numbers.
  if (numbers.pending === 0) refresh.reads(number, staleBy[event.type]!);
}
