import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ToolData } from '#client';
import { queries } from '../data/tools.calls.js';
import { campaignText } from '../messages/en/campaigns.js';
import { number, percent } from '../messages/format.js';
import { ErrorNotice } from '../parts/error-notice.js';

type Analytics = ToolData<'get_campaign_analytics'>;

/** Opens, clicks, unsubscriptions, complaints, and the links. */
export function Engagement({ campaignId }: { campaignId: string }) {
  const { data, error, refetch } = useQuery({
    ...queries.get_campaign_analytics({ campaignId }),
    refetchOnMount: 'always',
  });
  if (!data) return error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : null;
  return (
    <section className="flex flex-col gap-4">
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <h2 className="text-lg font-semibold">{campaignText('engagement')}</h2>
      <dl className="grid grid-cols-2 gap-3 md:grid-cols-4">
        <Stat label={campaignText('opens')} count={data.opens.unique} of={data.delivered}>
          {data.opens.machine > 0 && campaignText('opens.machine', { count: data.opens.machine })}
        </Stat>
        <Stat label={campaignText('clicks')} count={data.clicks.unique} of={data.delivered} />
        <Stat label={campaignText('unsubscribed')} count={data.unsubscribed} of={data.delivered} />
        <Stat label={campaignText('complained')} count={data.complained} of={data.delivered} />
      </dl>
      <Links links={data.links} />
    </section>
  );
}

function Stat({ label, count, of, children }: { label: string; count: number; of: number; children?: ReactNode }) {
  return (
    <div className="rounded-lg border border-line px-4 py-3">
      <dt className="text-sm text-soft">{label}</dt>
      <dd className="text-xl font-semibold tabular">{of === 0 ? '–' : percent(count / of)}</dd>
      <dd className="text-sm text-soft tabular">
        {campaignText('of.delivered', { count, total: of })}
        {children && <span className="block">{children}</span>}
      </dd>
    </div>
  );
}

function Links({ links }: { links: Analytics['links'] }) {
  if (links.length === 0) return <p className="text-soft">{campaignText('links.none')}</p>;
  return (
    <table className="w-full table-fixed border-collapse">
      <thead>
        <tr className="border-b border-line text-sm text-soft">
          <th className="py-2 text-start font-normal">{campaignText('links.url')}</th>
          <th className="w-20 py-2 text-end font-normal">{campaignText('links.people')}</th>
          <th className="w-20 py-2 text-end font-normal">{campaignText('links.clicks')}</th>
        </tr>
      </thead>
      <tbody>
        {links.map(({ url, unique, total }) => (
          <tr key={url} className="h-10 border-b border-line">
            <td className="truncate pe-4" title={url}>
              {url}
            </td>
            <td className="text-end tabular">{number(unique)}</td>
            <td className="text-end tabular">{number(total)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
