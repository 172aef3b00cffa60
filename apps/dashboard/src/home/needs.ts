import type { ToolData } from '#client';
import { date } from '../messages/format.js';
import { homeText } from '../messages/en/home.js';
import type { ScreenTarget } from '../parts/screen-link.js';
import type { IconName } from '../ui/icon.js';

export interface Need {
  key: string;
  tone: 'warn' | 'bad';
  icon: IconName;
  text: string;
  target: ScreenTarget;
}

interface Facts {
  approvals: number;
  paused: ToolData<'list_sends'>['sends'];
  domains: ToolData<'list_domains'>['domains'];
  verdicts: NonNullable<ToolData<'get_deliverability_health'>['verdicts']>;
}

export const needsOf = ({ approvals, paused, domains, verdicts }: Facts): Need[] => [
  ...(approvals > 0
    ? [
        {
          key: 'approvals',
          tone: 'warn' as const,
          icon: 'approval' as const,
          text: homeText('approvals', { count: approvals }),
          target: { screen: 'approvals' as const },
        },
      ]
    : []),
  ...paused.map(({ campaignId, campaignName }) => ({
    key: campaignId,
    tone: 'warn' as const,
    icon: 'pause' as const,
    text: homeText('pausedPlain', { name: campaignName }),
    target: { screen: 'campaignReport' as const, params: { campaignId } },
  })),
  ...domains
    .filter(({ failingSince, status, sandbox }) => !sandbox && (failingSince !== null || status === 'FAILED'))
    .map(({ id, domain, failingSince }) => ({
      key: id,
      tone: 'bad' as const,
      icon: 'globe' as const,
      text:
        failingSince === null
          ? homeText('domainPending', { domain })
          : homeText('domainFailing', { domain, date: date(failingSince) }),
      target: { screen: 'domains' as const },
    })),
  ...verdicts
    .filter(({ verdict }) => verdict !== 'OK')
    .map(({ metric, verdict, advice }) => ({
      key: metric,
      tone: verdict === 'CRITICAL' ? ('bad' as const) : ('warn' as const),
      icon: 'pulse' as const,
      text: homeText('verdict', { metric: homeText(`metric.${metric}`), advice }),
      target: { screen: 'deliverability' as const },
    })),
];
