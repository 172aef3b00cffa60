import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import * as z from 'zod/mini';
import { queries } from '../data/tools.calls.js';
import { screenText } from '../messages/en/shell.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { emptyFilter, filterFields } from '../parts/filter/filter.js';
import type { Filter } from '../parts/filter/filter.js';
import { Page } from '../parts/page.js';
import { useScreenSearch } from '../parts/screen-search.js';
import { useAddressDraft } from '../parts/use-address-draft.js';
import { Skeleton } from '../ui/states.js';
import { SegmentEditor } from './segment-editor.js';

/** The filters of a new segment stand in the address until it is saved. */
const searchPart = z.object({
  filters: z.optional(z.array(z.looseObject({ type: z.string() })).check(z.maxLength(100))),
});

/** One segment, or a new one at `/segments/new`. */
export function SegmentPage() {
  const { segmentId = '' }: { segmentId?: string } = useParams({ strict: false });
  return segmentId === 'new' ? <NewSegment /> : <KnownSegment key={segmentId} segmentId={segmentId} />;
}

function NewSegment() {
  const [{ filters }, setSearch] = useScreenSearch(searchPart);
  const [, setFilters] = useAddressDraft<Filter[] | undefined>(filters, (next) =>
    setSearch({ filters: next }, { replace: true }),
  );
  const { data, error, refetch } = useQuery({ ...queries.get_available_filters({}), staleTime: 300_000 });
  if (!data) return <Waiting error={error} onRetry={() => void refetch()} />;
  const first = filterFields(data)[0]!.operators[0]!;
  const start: Filter[] = filters ?? [emptyFilter(first)];
  return <SegmentEditor start={{ name: '', filters: start }} onFilters={setFilters} />;
}

function KnownSegment({ segmentId }: { segmentId: string }) {
  const { data, error, refetch } = useQuery(queries.get_segment({ segmentId }));
  if (data?.segmentId !== segmentId) return <Waiting error={error} onRetry={() => void refetch()} />;
  return <SegmentEditor start={data.segment} known={data.segment} />;
}

function Waiting({ error, onRetry }: { error: Error | null; onRetry: () => void }) {
  return (
    <Page title={screenText('segment')}>
      {error ? <ErrorNotice error={error} onRetry={onRetry} /> : <Skeleton className="h-40" />}
    </Page>
  );
}
