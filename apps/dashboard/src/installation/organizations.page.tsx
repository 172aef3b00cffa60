import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as z from 'zod/mini';
import { queries } from '../data/tools.calls.js';
import { installationText } from '../messages/en/installation.js';
import { number } from '../messages/format.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Page } from '../parts/page.js';
import { useScreenSearch } from '../parts/screen-search.js';
import { SearchField } from '../parts/search-field.js';
import { Button } from '../ui/button.js';
import { Badge, Skeleton } from '../ui/states.js';
import { installationSearch } from './installation-search.js';
import { LimitsDialog } from './limits-dialog.js';
import { limitNames, limitOf } from './limits.js';
import type { HostedOrganization } from './limits.js';

const searchPart = z.extend(installationSearch, { q: z.optional(z.string().check(z.maxLength(200))) });
const shownMax = 200;

const fits = ({ name, number: own }: HostedOrganization, text: string) =>
  name.toLowerCase().includes(text.toLowerCase()) || String(own) === text;

/** Every organization with its plan and limits, which an operator changes here. */
export function OrganizationsPage() {
  const [{ q = '' }, setSearch] = useScreenSearch(searchPart);
  const { data, error, refetch } = useQuery(queries.list_organizations({}));
  const [changed, setChanged] = useState<HostedOrganization | null>(null);
  const found = (data?.organizations ?? []).filter((organization) => fits(organization, q));
  return (
    <Page title={installationText('organizations')} lead={installationText('organizations.lead')}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 pb-3">
        <SearchField
          label={installationText('organizations.search')}
          value={q}
          onChange={(value) => setSearch({ q: value }, { replace: true })}
          className="w-full sm:w-72"
        />
        {data && (
          <p className="text-soft" aria-live="polite">
            {installationText('organizations.shown', { count: found.length })}
          </p>
        )}
      </div>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-24" />}
      {data && (
        <ul className="divide-y divide-line border-y border-line">
          {found.length === 0 && <li className="py-3 text-soft">{installationText('organizations.none')}</li>}
          {found.slice(0, shownMax).map((organization) => (
            <OrganizationLine
              key={organization.id}
              organization={organization}
              onChange={() => setChanged(organization)}
            />
          ))}
        </ul>
      )}
      {found.length > shownMax && (
        <p className="mt-2 text-sm text-soft">
          {installationText('organizations.first', { shown: shownMax, total: found.length })}
        </p>
      )}
      {changed && <LimitsDialog organization={changed} onClose={() => setChanged(null)} />}
    </Page>
  );
}

function OrganizationLine({ organization, onChange }: { organization: HostedOrganization; onChange: () => void }) {
  const { name, number: own, plan, cell } = organization;
  return (
    <li className="flex flex-wrap items-start gap-x-6 gap-y-2 py-3">
      <div className="min-w-0 flex-1 basis-48">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-medium wrap-anywhere">{name}</span>
          <Badge>{installationText(`plan.${plan}`)}</Badge>
        </p>
        <p className="text-sm text-soft">
          {installationText('number', { number: String(own) })}
          {cell !== null && ` · ${installationText('cell', { cell })}`}
        </p>
      </div>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-1 text-sm sm:grid-cols-4">
        {limitNames.map((limit) => {
          const value = limitOf(organization, limit);
          return (
            <div key={limit}>
              <dt className="text-soft">{installationText(`limit.${limit}`)}</dt>
              <dd className="tabular">{value === null ? installationText('unbounded') : number(value)}</dd>
            </div>
          );
        })}
      </dl>
      <Button small onClick={onChange} aria-label={installationText('change.of', { name })}>
        {installationText('change')}
      </Button>
    </li>
  );
}
