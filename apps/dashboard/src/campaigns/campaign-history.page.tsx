import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import * as z from 'zod/mini';
import type { ToolData } from '#client';
import { notify } from '../data/notices.js';
import { reportFailure } from '../data/report-failure.js';
import { actions, pages, queries } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { campaignText } from '../messages/en/campaigns.js';
import { commonText } from '../messages/en/common.js';
import { dateTime } from '../messages/format.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { mayAct } from '../parts/own-role.js';
import { useScreenSearch } from '../parts/screen-search.js';
import { Button } from '../ui/button.js';
import { classNames } from '../ui/class-names.js';
import { EmptyState, Skeleton } from '../ui/states.js';
import { CampaignFrame } from './campaign-frame.js';
import type { Campaign } from './campaign-status.js';
import { MailPreview } from '../parts/mail/mail-preview.js';

type Entry = ToolData<'list_campaign_history'>['entries'][number];

const searchPart = z.object({ a: z.optional(z.string().check(z.maxLength(320))) });

/** The saved states of a campaign; one opens with its mail and can be restored. */
export function CampaignHistoryPage() {
  return <CampaignFrame>{(campaign) => <History campaign={campaign} />}</CampaignFrame>;
}

function History({ campaign }: { campaign: Campaign }) {
  const [{ a }, setSearch] = useScreenSearch(searchPart);
  const list = useInfiniteQuery({
    ...pages.list_campaign_history({ campaignId: campaign.id, limit: 50 }),
    refetchOnMount: 'always',
  });
  const entries = (list.data?.pages ?? []).flatMap((page) => page.entries);
  const shown = a ?? entries[0]?.id;
  if (!list.data)
    return list.error ? (
      <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />
    ) : (
      <Skeleton className="h-96" />
    );
  if (entries.length === 0)
    return (
      <EmptyState icon="clock" title={campaignText('history.empty.title')}>
        {campaignText('history.empty.lead')}
      </EmptyState>
    );
  return (
    <div className="grid min-w-0 grid-cols-1 items-start gap-x-8 gap-y-6 md:grid-cols-[18rem_minmax(0,1fr)]">
      <div>
        <ul className="max-h-80 divide-y divide-line overflow-auto rounded-lg border border-line md:max-h-[70dvh]">
          {entries.map((entry) => (
            <li key={entry.id}>
              <EntryButton
                entry={entry}
                isShown={entry.id === shown}
                onShow={() => setSearch({ a: entry.id }, { replace: true })}
              />
            </li>
          ))}
        </ul>
        {list.error && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
        {list.hasNextPage && (
          <Button className="mt-2" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {campaignText('history.older')}
          </Button>
        )}
      </div>
      {shown !== undefined && <ShownEntry campaign={campaign} historyId={shown} isNewest={shown === entries[0]?.id} />}
    </div>
  );
}

function EntryButton({ entry, isShown, onShow }: { entry: Entry; isShown: boolean; onShow: () => void }) {
  return (
    <button
      type="button"
      aria-pressed={isShown}
      onClick={onShow}
      className={classNames(
        'block w-full px-3 py-2 text-start focus-visible:-outline-offset-2',
        isShown ? 'bg-accent-soft' : 'hover:bg-ground',
      )}
    >
      <span className="flex justify-between gap-3 text-sm text-soft tabular">
        {dateTime(entry.savedAt)}
        <span>{campaignText(`history.source.${entry.source}`)}</span>
      </span>
      <span className="block truncate">{entry.subject}</span>
    </button>
  );
}

const restorable: readonly Campaign['status'][] = ['DRAFT', 'SCHEDULED', 'ARCHIVED'];

function ShownEntry({ campaign, historyId, isNewest }: { campaign: Campaign; historyId: string; isNewest: boolean }) {
  const { data, error, refetch } = useQuery(queries.get_campaign_history_entry({ campaignId: campaign.id, historyId }));
  const restore = useAction(actions.restore_campaign_history({ button: campaignText('history.restore') }));
  const entry = data?.entry;
  if (entry?.id !== historyId)
    return error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : <Skeleton className="h-96" />;
  const run = async () => {
    await restore.run({ campaignId: campaign.id, historyId });
    notify({ kind: 'done', text: campaignText('history.restored', { time: dateTime(entry.savedAt) }) });
  };
  return (
    <section aria-label={commonText('saved')} className="flex min-w-0 flex-col gap-4">
      {mayAct('editor') && !isNewest && restorable.includes(campaign.status) && (
        <div>
          <Button icon="undo" busy={restore.isPending} onClick={() => void run().catch(reportFailure)}>
            {campaignText('history.restore')}
          </Button>
        </div>
      )}
      <MailPreview
        source={{
          subject: entry.subject,
          preview: campaign.preview ?? '',
          contentType: entry.contentType,
          content: entry.content,
        }}
      />
    </section>
  );
}
