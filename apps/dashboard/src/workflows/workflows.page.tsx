import { useQuery } from '@tanstack/react-query';
import * as z from 'zod/mini';
import type { ToolData } from '#client';
import { pages, queries } from '../data/tools.calls.js';
import { date, number } from '../messages/format.js';
import { workflowText } from '../messages/en/workflows.js';
import { CopyAs } from '../parts/copy-as.js';
import { mayAct } from '../parts/own-role.js';
import { Page } from '../parts/page.js';
import { RecordList } from '../parts/record-list.js';
import type { Column } from '../parts/record-row.js';
import { RowMenu } from '../parts/row-menu.js';
import { ScreenLink, useCanOpen } from '../parts/screen-link.js';
import { useScreenSearch } from '../parts/screen-search.js';
import { SearchField } from '../parts/search-field.js';
import { StatusTabs } from '../parts/status-tabs.js';
import { buttonClass } from '../ui/button.js';
import { Choice } from '../ui/field.js';
import { EmptyState } from '../ui/states.js';
import { NewWorkflow, StarterCards } from './new-workflow.js';
import { useStatusActions } from './use-status.js';
import { WorkflowBadge, workflowStatuses } from './workflow-status.js';

type Row = ToolData<'search_workflows'>['workflows'][number];

const sorts = ['updatedAt', 'createdAt', 'name'] as const;
type Sort = (typeof sorts)[number];
const noGroup = 'none';

/** What of this screen stands in the address. */
const searchPart = z.object({
  q: z.optional(z.string().check(z.maxLength(200))),
  status: z.optional(z.enum(workflowStatuses)),
  group: z.optional(z.string().check(z.maxLength(100))),
  sort: z.optional(z.enum(sorts)),
});

function useColumns(): readonly Column<Row>[] {
  const actionsOf = useStatusActions();
  const { data } = useQuery(queries.list_workflow_groups({ limit: 1000 }));
  const names = new Map((data?.groups ?? []).map(({ id, name }) => [id, name]));
  return [
    { id: 'name', header: workflowText('name'), width: 'minmax(0, 2fr)', cell: ({ name }) => name },
    {
      id: 'status',
      header: workflowText('status'),
      width: '7rem',
      phone: 'aside',
      cell: ({ status }) => <WorkflowBadge status={status} />,
    },
    {
      id: 'group',
      header: workflowText('group'),
      width: '10rem',
      cell: ({ groupId }) => <span className="text-soft">{groupId === null ? '–' : (names.get(groupId) ?? '…')}</span>,
    },
    {
      id: 'active',
      header: workflowText('active'),
      width: '7rem',
      align: 'end',
      cell: ({ activeSubscribers }) => number(activeSubscribers),
    },
    {
      id: 'changed',
      header: workflowText('changed'),
      width: '7rem',
      align: 'end',
      phone: 'detail',
      cell: ({ updatedAt }) => <span className="text-soft">{date(updatedAt)}</span>,
    },
    ...(mayAct('editor')
      ? [
          {
            id: 'menu',
            header: workflowText('actions'),
            width: '5rem',
            align: 'end' as const,
            phone: 'aside' as const,
            cell: (row: Row) => (
              <RowMenu
                label={workflowText('more', { name: row.name })}
                items={actionsOf(row).map(({ act, ...item }) => ({ ...item, onClick: () => void act() }))}
              />
            ),
          },
        ]
      : []),
  ];
}

/** All workflows, by status, group and search. */
export function WorkflowsPage() {
  const [{ q, status, group, sort = 'updatedAt' }, setSearch] = useScreenSearch(searchPart);
  const columns = useColumns();
  const canOpen = useCanOpen();
  const selection = {
    ...(q && { query: q }),
    ...(group !== undefined && { groupId: group === noGroup ? null : group }),
  };
  const { data: totals } = useQuery(queries.search_workflows({ ...selection, counts: true, limit: 1 }));
  const input = {
    ...selection,
    ...(status && { statuses: [status] }),
    sort,
    order: sort === 'name' ? ('ASC' as const) : ('DESC' as const),
    limit: 100,
  };
  const what = q
    ? workflowText('filtered.query', { query: q })
    : status
      ? workflowText('filtered.status', { status: workflowText(`status.${status}`) })
      : workflowText('filtered.group');
  return (
    <Page
      title={workflowText('title')}
      fill
      actions={
        <>
          <NewWorkflow />
          <CopyAs tool="search_workflows" input={input} />
        </>
      }
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 pb-3">
        <div className="me-auto min-w-0">
          <StatusTabs
            label={workflowText('status')}
            value={status ?? 'ALL'}
            onChange={(value) => setSearch({ status: value === 'ALL' ? undefined : value })}
            tabs={[
              { value: 'ALL', label: workflowText('all'), count: totals?.total },
              ...workflowStatuses
                .filter((one) => one === status || (totals?.counts?.[one] ?? 0) > 0)
                .map((one) => ({
                  value: one,
                  label: workflowText(`status.${one}`),
                  count: totals?.counts?.[one] ?? 0,
                })),
            ]}
          />
        </div>
        <GroupChoice group={group} onChange={(value) => setSearch({ group: value })} />
        {canOpen('workflowGroups') && (
          <ScreenLink screen="workflowGroups" className={buttonClass('quiet')}>
            {workflowText('groups')}
          </ScreenLink>
        )}
        <SortChoice sort={sort} onChange={(value) => setSearch({ sort: value })} />
        <SearchField
          label={workflowText('search')}
          value={q ?? ''}
          onChange={(value) => setSearch({ q: value }, { replace: true })}
          className="w-full sm:w-60"
        />
      </div>
      <RecordList
        label={workflowText('title')}
        query={pages.search_workflows(input)}
        rowsOf={({ workflows }) => workflows}
        idOf={({ id }) => id}
        columns={columns}
        target={({ id }) => ({ screen: 'workflow', params: { workflowId: id } })}
        filtered={
          (q ?? status ?? group) !== undefined && {
            what,
            clear: () => setSearch({ q: undefined, status: undefined, group: undefined }),
          }
        }
        empty={
          <EmptyState icon="workflow" title={workflowText('empty.title')} action={<StarterCards />}>
            {workflowText('empty.lead')}
          </EmptyState>
        }
      />
    </Page>
  );
}

function SortChoice({ sort, onChange }: { sort: Sort; onChange: (sort?: Sort) => void }) {
  return (
    <Choice
      aria-label={workflowText('sort')}
      value={sort}
      options={sorts.map((value) => ({ value, label: workflowText(`sort.${value}`) }))}
      onChange={({ target }) => onChange(target.value === 'updatedAt' ? undefined : (target.value as Sort))}
      className="w-36"
    />
  );
}

function GroupChoice({ group, onChange }: { group: string | undefined; onChange: (group?: string) => void }) {
  const { data } = useQuery(queries.list_workflow_groups({ limit: 1000 }));
  if (group === undefined && (data?.groups.length ?? 0) === 0) return null;
  return (
    <Choice
      aria-label={workflowText('group')}
      value={group ?? ''}
      options={[
        { value: '', label: workflowText('group.any') },
        { value: noGroup, label: workflowText('group.none') },
        ...(data?.groups ?? []).map(({ id, name }) => ({ value: id, label: name })),
      ]}
      onChange={({ target }) => onChange(target.value || undefined)}
      className="w-40"
    />
  );
}
