import { useQuery } from '@tanstack/react-query';
import * as z from 'zod/mini';
import type { ToolData } from '#client';
import { queries } from '../data/tools.calls.js';
import { wholeList } from '../data/whole-list.js';
import { date, number } from '../messages/format.js';
import { segmentText } from '../messages/en/segments.js';
import { CopyAs } from '../parts/copy-as.js';
import { mayAct } from '../parts/own-role.js';
import { Page } from '../parts/page.js';
import { RecordList } from '../parts/record-list.js';
import type { Column } from '../parts/record-row.js';
import { ScreenLink } from '../parts/screen-link.js';
import { useScreenSearch } from '../parts/screen-search.js';
import { SearchField } from '../parts/search-field.js';
import { buttonClass } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { EmptyState } from '../ui/states.js';
import { useSentence } from '../parts/filter/use-sentence.js';

type Segment = ToolData<'list_segments'>['segments'][number];

const searchPart = z.object({ q: z.optional(z.string().check(z.maxLength(200))) });
const segmentsMax = 1000;

/** Every segment, its filters in words, and how many subscribers it holds now. */
export function SegmentsPage() {
  const [{ q = '' }, setSearch] = useScreenSearch(searchPart);
  const sentence = useSentence();
  const columns: readonly Column<Segment>[] = [
    { id: 'name', header: segmentText('name'), width: 'minmax(0, 1fr)', cell: ({ name }) => name },
    {
      id: 'filters',
      header: segmentText('filters'),
      width: 'minmax(0, 1.4fr)',
      phone: 'detail',
      cell: ({ filters }) => <span className="text-soft">{sentence(filters)}</span>,
    },
    {
      id: 'count',
      header: segmentText('subscribers'),
      width: '7rem',
      align: 'end',
      phone: 'aside',
      cell: ({ id }) => <SegmentCount segmentId={id} />,
    },
    {
      id: 'changed',
      header: segmentText('changed'),
      width: '7rem',
      align: 'end',
      cell: ({ updatedAt }) => <span className="text-soft">{date(updatedAt)}</span>,
    },
  ];
  const create = mayAct('editor') && (
    <ScreenLink screen="segment" params={{ segmentId: 'new' }} className={buttonClass('primary')} data-compose="">
      <Icon name="plus" />
      {segmentText('new')}
    </ScreenLink>
  );
  return (
    <Page
      title={segmentText('title')}
      lead={segmentText('lead')}
      fill
      actions={
        <>
          {create}
          <CopyAs tool="list_segments" input={{ limit: segmentsMax }} />
        </>
      }
    >
      <SearchField
        label={segmentText('search')}
        value={q}
        onChange={(value) => setSearch({ q: value }, { replace: true })}
        className="mb-3 w-full sm:w-72"
      />
      <RecordList
        label={segmentText('title')}
        query={wholeList('list_segments', { limit: segmentsMax })}
        rowsOf={({ segments }) => segments.filter(({ name }) => name.toLowerCase().includes(q.toLowerCase()))}
        idOf={({ id }) => id}
        columns={columns}
        target={({ id }) => ({ screen: 'segment', params: { segmentId: id } })}
        filtered={
          q !== '' && {
            what: segmentText('filtered.query', { query: q }),
            clear: () => setSearch({ q: undefined }),
          }
        }
        empty={
          <EmptyState icon="segment" title={segmentText('empty.title')} action={create}>
            {segmentText('empty.lead')}
          </EmptyState>
        }
      />
    </Page>
  );
}

/** How many subscribers a segment holds; it is counted when its row is seen. */
function SegmentCount({ segmentId }: { segmentId: string }) {
  const { data, isError } = useQuery({ ...queries.get_segment({ segmentId }), staleTime: 60_000 });
  if (isError || data?.subscribersCount === null)
    return <span className="text-sm text-soft">{segmentText('uncounted')}</span>;
  return <span className="tabular">{data ? number(data.subscribersCount) : '…'}</span>;
}
