import * as z from 'zod/mini';
import type { ToolData } from '#client';
import { wholeList } from '../data/whole-list.js';
import { date } from '../messages/format.js';
import { snippetText } from '../messages/en/snippets.js';
import { CopyAs } from '../parts/copy-as.js';
import { mayAct } from '../parts/own-role.js';
import { Page } from '../parts/page.js';
import { RecordList } from '../parts/record-list.js';
import type { Column } from '../parts/record-row.js';
import { ScreenLink } from '../parts/screen-link.js';
import { useScreenSearch } from '../parts/screen-search.js';
import { SearchField } from '../parts/search-field.js';
import { buttonClass } from '../ui/button.js';
import { Check } from '../ui/field.js';
import { Icon } from '../ui/icon.js';
import { Badge, EmptyState } from '../ui/states.js';

type Row = ToolData<'get_email_snippets'>['snippets'][number];

const searchPart = z.object({
  q: z.optional(z.string().check(z.maxLength(200))),
  archived: z.optional(z.boolean()),
});

const columns: readonly Column<Row>[] = [
  {
    id: 'name',
    header: snippetText('name'),
    cell: ({ name, archived }) => (
      <>
        {name}
        {archived && (
          <span className="ms-2">
            <Badge>{snippetText('archived')}</Badge>
          </span>
        )}
      </>
    ),
  },
  {
    id: 'description',
    header: snippetText('description'),
    width: 'minmax(0, 1.4fr)',
    phone: 'detail',
    cell: ({ description }) => <span className="text-soft">{description}</span>,
  },
  {
    id: 'changed',
    header: snippetText('changed'),
    width: '7rem',
    align: 'end',
    phone: 'aside',
    cell: ({ updatedAt }) => <span className="text-soft">{date(updatedAt)}</span>,
  },
];

const fits = ({ name, description }: Row, query: string): boolean =>
  `${name} ${description ?? ''}`.toLowerCase().includes(query.toLowerCase());

/** Every snippet; a row leads to its editor. */
export function SnippetsPage() {
  const [{ q = '', archived = false }, setSearch] = useScreenSearch(searchPart);
  const input = { includeArchived: archived };
  const create = mayAct('editor') && (
    <ScreenLink screen="snippet" params={{ snippetId: 'new' }} className={buttonClass('primary')} data-compose="">
      <Icon name="plus" />
      {snippetText('new')}
    </ScreenLink>
  );
  return (
    <Page
      title={snippetText('title')}
      lead={snippetText('lead')}
      fill
      actions={
        <>
          {create}
          <CopyAs tool="get_email_snippets" input={input} />
        </>
      }
    >
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <SearchField
          label={snippetText('search')}
          value={q}
          onChange={(value) => setSearch({ q: value }, { replace: true })}
          className="w-full sm:w-72"
        />
        <Check
          label={snippetText('showArchived')}
          checked={archived}
          onChange={({ target }) => setSearch({ archived: target.checked || undefined }, { replace: true })}
        />
      </div>
      <RecordList
        label={snippetText('title')}
        query={wholeList('get_email_snippets', input)}
        rowsOf={({ snippets }) => snippets.filter((snippet) => fits(snippet, q))}
        idOf={({ id }) => id}
        columns={columns}
        target={({ id }) => ({ screen: 'snippet', params: { snippetId: id } })}
        filtered={
          q !== '' && { what: snippetText('filtered.query', { query: q }), clear: () => setSearch({ q: undefined }) }
        }
        empty={
          <EmptyState icon="snippet" title={snippetText('empty.title')} action={create}>
            {snippetText('empty.lead')}
          </EmptyState>
        }
      />
    </Page>
  );
}
