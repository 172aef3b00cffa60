import { useQuery } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { queries } from '../data/tools.calls.js';
import { deliverabilityText } from '../messages/en/deliverability.js';
import { number, percent } from '../messages/format.js';
import { CopyAs } from '../parts/copy-as.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Page } from '../parts/page.js';
import { ScreenLink } from '../parts/screen-link.js';
import { useScreenSearch } from '../parts/screen-search.js';
import { StatusTabs } from '../parts/status-tabs.js';
import { buttonClass } from '../ui/button.js';
import { Section } from '../ui/section.js';
import { Badge, Skeleton } from '../ui/states.js';
import { DayTable } from './day-table.js';
import { Figure } from './figure.js';
import { VerdictList } from './verdict-list.js';

const periods = ['7', '30', '90'] as const;
const searchPart = z.object({ days: z.optional(z.literal([7, 90])) });

const levelTones = { HIGH: 'good', MEDIUM: 'warn', LOW: 'bad' } as const;

/** The reputation of the organization's mail: score, verdicts with their lines and advice, and the rates by day. */
export function DeliverabilityPage() {
  const [{ days = 30 }, setSearch] = useScreenSearch(searchPart);
  const score = useQuery(queries.get_deliverability_health({}));
  const report = useQuery(queries.get_deliverability_health({ sinceDays: days }));
  const error = score.error ?? report.error;
  const { data } = report;
  const rate = (share: number | undefined) => (share === undefined ? undefined : percent(share));
  return (
    <Page
      title={deliverabilityText('title')}
      lead={deliverabilityText('lead')}
      actions={<CopyAs tool="get_deliverability_health" input={{ sinceDays: days }} />}
    >
      <div className="flex flex-col gap-8">
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <StatusTabs
            label={deliverabilityText('days')}
            value={String(days) as (typeof periods)[number]}
            onChange={(value) => setSearch({ days: value === '7' ? 7 : value === '90' ? 90 : undefined })}
            tabs={periods.map((value) => ({ value, label: deliverabilityText(`days.${value}`) }))}
          />
          <ScreenLink screen="suppressed" className={buttonClass('plain', true)}>
            {deliverabilityText('suppressedLink')}
          </ScreenLink>
        </div>
        {error && (
          <ErrorNotice
            error={error}
            isStale={data !== undefined}
            onRetry={() => void Promise.all([score.refetch(), report.refetch()])}
          />
        )}
        <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line lg:grid-cols-5">
          <Figure
            label={deliverabilityText('score')}
            hasFailed={score.isError}
            value={score.data && deliverabilityText('scoreOf', { score: score.data.trustScore ?? 0 })}
            note={
              score.data?.level && (
                <Badge tone={levelTones[score.data.level]}>{deliverabilityText(`level.${score.data.level}`)}</Badge>
              )
            }
            hint={deliverabilityText('scoreHint')}
          />
          <Figure
            label={deliverabilityText('sent')}
            hasFailed={report.isError}
            value={data && number(data.sent ?? 0)}
          />
          <Figure
            label={deliverabilityText('delivered')}
            hasFailed={report.isError}
            value={data && number(data.delivered ?? 0)}
            note={rate(data?.rates?.delivery)}
          />
          <Figure
            label={deliverabilityText('bounced')}
            hasFailed={report.isError}
            value={data && number(data.bounced ?? 0)}
            note={rate(data?.rates?.bounce)}
          />
          <Figure
            label={deliverabilityText('complained')}
            hasFailed={report.isError}
            value={data && number(data.complained ?? 0)}
            note={rate(data?.rates?.complaint)}
          />
        </dl>
        <Section title={deliverabilityText('verdicts')}>
          {data ? <VerdictList verdicts={data.verdicts ?? []} /> : !report.isError && <Skeleton className="h-48" />}
        </Section>
        <DayTable days={days} />
      </div>
    </Page>
  );
}
