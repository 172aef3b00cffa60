import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { currentOrganization } from '../data/session.js';
import { queries } from '../data/tools.calls.js';
import { dateTime } from '../messages/format.js';
import { installationText } from '../messages/en/installation.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Button } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { Section } from '../ui/section.js';
import { Badge, Skeleton } from '../ui/states.js';
import { services } from './installation-search.js';

/**
 * Which services respond: a list of dead letters asks each of them. That it came at all says that the gateway and the domain
 * service do.
 */
export function ServiceList() {
  const { data, error, isFetching, dataUpdatedAt, refetch } = useQuery(queries.list_dead_letters({ limit: 1 }));
  return (
    <Section
      title={installationText('services')}
      lead={
        data
          ? installationText('services.at', { time: dateTime(new Date(dataUpdatedAt)) })
          : installationText('services.lead')
      }
      actions={
        <Button busy={isFetching} onClick={() => void refetch()}>
          {installationText('services.again')}
        </Button>
      }
    >
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-60" />}
      {data && (
        <>
          <ul className="divide-y divide-line border-y border-line">
            {(['gateway', ...services] as const).map((service) => {
              const responds = service === 'gateway' || !data.unavailable.includes(service);
              return (
                <li key={service} className="flex min-h-10 flex-wrap items-center gap-x-4 gap-y-1 py-1.5">
                  <span className="w-24 font-mono text-sm">{service}</span>
                  <span className="min-w-0 flex-1 text-soft max-sm:order-last max-sm:basis-full">
                    {installationText(`service.${service}`)}
                  </span>
                  <span className="ms-auto">
                    <Badge tone={responds ? 'good' : 'bad'}>{installationText(responds ? 'responds' : 'silent')}</Badge>
                  </span>
                </li>
              );
            })}
          </ul>
          <p className="mt-3 flex items-center gap-2">
            <Icon name={data.total > 0 ? 'warning' : 'check'} className={data.total > 0 ? 'text-warn' : 'text-good'} />
            <span>{installationText('letters.open', { count: data.total })}</span>
            {data.total > 0 && (
              <Link
                to="/installation/dead-letters"
                search={{ organization: currentOrganization() }}
                className="text-accent underline"
              >
                {installationText('letters.see')}
              </Link>
            )}
          </p>
        </>
      )}
    </Section>
  );
}
