import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ToolData } from '#client';
import { notify } from '../data/notices.js';
import { queries } from '../data/tools.calls.js';
import { currentMembership } from '../data/session.js';
import { homeText } from '../messages/en/home.js';
import { ScreenLink } from '../parts/screen-link.js';
import type { ScreenTarget } from '../parts/screen-link.js';
import { classNames } from '../ui/class-names.js';
import { IconButton } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { hideChecklist, isChecklistHidden, showChecklist } from './hidden-checklist.js';
import { cardClass, HomeSection } from './section.js';
import { setupSteps } from './setup-steps.js';

/** The way from a new installation to the first campaign; each step leads to the page that does it. */
export function Checklist({ stats }: { stats: ToolData<'get_org_stats'> }) {
  const number = currentMembership()?.number ?? 0;
  const [isHidden, setHidden] = useState(() => isChecklistHidden(number));
  const { data: domains } = useQuery(queries.list_domains({}));
  const { data: organization } = useQuery(queries.get_organization({}));
  const { data: members } = useQuery(queries.list_members({}));
  const steps = setupSteps({
    stats,
    domains: domains?.domains,
    address: organization?.organization.address,
    members: members?.members.length,
  });
  const done = steps.filter(({ isDone }) => isDone).length;
  // Points whose reads are on their way would look undone for a moment.
  const isRead = domains !== undefined && organization !== undefined && members !== undefined;
  if (isHidden || !isRead || done === steps.length) return null;
  const hide = () => {
    hideChecklist(number);
    setHidden(true);
    const undo = () => {
      showChecklist(number);
      setHidden(false);
    };
    notify({ kind: 'done', text: homeText('setup.hidden'), undo });
  };
  return (
    <HomeSection
      title={homeText('setup.title', { organization: currentMembership()?.name ?? '' })}
      aside={
        <span className="flex items-center gap-1">
          <span className="text-sm text-soft tabular">{homeText('setup.done', { done, total: steps.length })}</span>
          <IconButton small label={homeText('setup.hide')} icon="close" onClick={hide} />
        </span>
      }
    >
      <ol className={cardClass}>
        {steps.map(({ name, screen, isDone }) => (
          <li key={name} className="relative flex items-center gap-3 px-4 py-3 hover:bg-ground/70">
            <span
              className={classNames(
                'grid size-5 shrink-0 place-items-center rounded-full border',
                isDone ? 'border-good bg-good-soft text-good' : 'border-edge',
              )}
            >
              {isDone && <Icon name="check" size={12} />}
            </span>
            <span className="min-w-0 flex-1">
              <ScreenLink
                {...({ screen } as ScreenTarget)}
                className={classNames('font-medium after:absolute after:inset-0', isDone && 'text-soft line-through')}
              >
                {homeText(`setup.${name}`)}
              </ScreenLink>
              {!isDone && <span className="block text-sm text-soft">{homeText(`setup.${name}Lead`)}</span>}
            </span>
            <Icon name="chevronRight" className="text-soft" />
          </li>
        ))}
      </ol>
    </HomeSection>
  );
}
