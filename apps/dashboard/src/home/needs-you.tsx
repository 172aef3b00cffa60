import { useQuery } from '@tanstack/react-query';
import { queries } from '../data/tools.calls.js';
import { homeText } from '../messages/en/home.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { ScreenLink } from '../parts/screen-link.js';
import { classNames } from '../ui/class-names.js';
import { Icon } from '../ui/icon.js';
import { Skeleton } from '../ui/states.js';
import { needsOf } from './needs.js';
import { cardClass, HomeSection } from './section.js';

/** What waits for a person: approvals, campaigns that stand, domains and verdicts that are not well. */
export function NeedsYou() {
  const approvals = useQuery(queries.list_approvals({ states: ['PENDING'], limit: 1 }));
  const sending = useQuery(queries.list_sends({ state: 'PAUSED', limit: 5 }));
  const domains = useQuery(queries.list_domains({}));
  const health = useQuery(queries.get_deliverability_health({}));
  const all = [approvals, sending, domains, health];
  const error = all.find((one) => one.error)?.error;
  const needs = needsOf({
    approvals: approvals.data?.pending ?? 0,
    paused: sending.data?.sends ?? [],
    domains: domains.data?.domains ?? [],
    verdicts: health.data?.verdicts ?? [],
  });
  return (
    <HomeSection title={homeText('needsYou')}>
      {error && <ErrorNotice error={error} onRetry={() => all.forEach((one) => void one.refetch())} />}
      {needs.length === 0 && all.some((one) => one.data === undefined) ? (
        // A list that could not be read may hold needs.
        !error && <Skeleton className="h-12" />
      ) : (
        <ul className={cardClass}>
          {needs.length === 0 && (
            <li className="flex items-center gap-3 px-4 py-3 text-soft">
              <Icon name="check" className="text-good" />
              {homeText('nothingNeeded')}
            </li>
          )}
          {needs.map(({ key, tone, icon, text, target }) => (
            <li key={key} className="relative flex items-center gap-3 px-4 py-3 hover:bg-ground/70">
              <Icon name={icon} className={classNames('shrink-0', tone === 'bad' ? 'text-bad' : 'text-warn')} />
              <ScreenLink {...target} className="min-w-0 flex-1 wrap-anywhere after:absolute after:inset-0">
                {text}
              </ScreenLink>
              <Icon name="chevronRight" className="shrink-0 text-soft" />
            </li>
          ))}
        </ul>
      )}
    </HomeSection>
  );
}
