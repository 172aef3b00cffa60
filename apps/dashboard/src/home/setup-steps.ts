import type { ToolData } from '#client';
import type { ScreenName } from '../parts/screen-paths.js';

type Stats = ToolData<'get_org_stats'>;

/** What the steps of the setup are read from; undefined while it is not read. */
export interface SetupFacts {
  stats: Stats;
  domains: ToolData<'list_domains'>['domains'] | undefined;
  address: string | null | undefined;
  members: number | undefined;
}

export interface SetupStep {
  name: 'domain' | 'address' | 'subscribers' | 'campaign' | 'send' | 'members';
  screen: ScreenName;
  isDone: boolean;
}

export const setupSteps = ({ stats, domains = [], address, members = 0 }: SetupFacts): SetupStep[] => [
  {
    name: 'domain',
    screen: 'domains',
    isDone: domains.some(({ status, sandbox }) => status === 'VERIFIED' && !sandbox),
  },
  { name: 'address', screen: 'organization', isDone: Boolean(address) },
  { name: 'subscribers', screen: 'subscribers', isDone: stats.subscribers.total > 0 },
  { name: 'campaign', screen: 'campaigns', isDone: stats.campaigns.total > 0 },
  { name: 'send', screen: 'campaigns', isDone: stats.campaigns.sent > 0 },
  { name: 'members', screen: 'members', isDone: members > 1 },
];
