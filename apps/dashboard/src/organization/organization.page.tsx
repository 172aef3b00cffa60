import { useQuery } from '@tanstack/react-query';
import { currentMembership } from '../data/session.js';
import { queries } from '../data/tools.calls.js';
import { organizationText } from '../messages/en/organization.js';
import { number } from '../messages/format.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { mayAct } from '../parts/own-role.js';
import { Page } from '../parts/page.js';
import { Section } from '../ui/section.js';
import { Callout, Skeleton } from '../ui/states.js';
import { RetentionSection } from './retention-section.js';
import { SettingsForm } from './settings-form.js';

const quotas = ['contacts', 'mailsPerMonth', 'domains'] as const;

/** Name, mail, approvals and retention of the organization, and how much of its plan is used. */
export function OrganizationPage() {
  const { data, error, refetch } = useQuery(queries.get_organization({}));
  const own = currentMembership();
  const isAdmin = mayAct('admin');
  return (
    <Page title={organizationText('title')} wide={false}>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-48" />}
      {data && (
        <div className="flex flex-col gap-9">
          {!isAdmin && <Callout tone="plain">{organizationText('readOnly')}</Callout>}
          <SettingsForm
            key={data.organization.id}
            loaded={data.organization}
            readOnly={!isAdmin}
            isOwner={own?.role === 'owner'}
            reload={async () => (await refetch()).data?.organization}
          />
          <RetentionSection readOnly={!isAdmin} />
          <Section title={organizationText('plan.title')} lead={organizationText('plan', { plan: data.plan })}>
            <dl className="grid max-w-sm grid-cols-[max-content_minmax(0,1fr)] gap-x-6 gap-y-1.5">
              {quotas.map((name) => (
                <div key={name} className="contents">
                  <dt className="text-soft">{organizationText(`quota.${name}`)}</dt>
                  <dd className="text-end tabular">
                    {data.quotas[name] == null
                      ? organizationText('usage.unbounded', { used: data.usage[name] ?? '–' })
                      : organizationText('usage', { used: data.usage[name] ?? '–', limit: number(data.quotas[name]) })}
                  </dd>
                </div>
              ))}
            </dl>
          </Section>
        </div>
      )}
    </Page>
  );
}
