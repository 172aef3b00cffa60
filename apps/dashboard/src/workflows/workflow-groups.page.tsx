import { useState } from 'react';
import * as z from 'zod/mini';
import { notify } from '../data/notices.js';
import { approvalOf, isDeclined, issuesByField } from '../data/refusal.js';
import { reportFailure } from '../data/report-failure.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { wholeList } from '../data/whole-list.js';
import { commonText } from '../messages/en/common.js';
import { groupText } from '../messages/en/workflow-runs.js';
import { number } from '../messages/format.js';
import { CopyAs } from '../parts/copy-as.js';
import { FormDialog } from '../parts/form-dialog.js';
import { NameField } from '../parts/name-field.js';
import { mayAct } from '../parts/own-role.js';
import { Page } from '../parts/page.js';
import { RecordList } from '../parts/record-list.js';
import type { Column } from '../parts/record-row.js';
import { RowMenu } from '../parts/row-menu.js';
import { useScreenSearch } from '../parts/screen-search.js';
import { SearchField } from '../parts/search-field.js';
import { Button } from '../ui/button.js';
import { EmptyState } from '../ui/states.js';
import { StrategyChoice } from './strategy.js';
import type { Group, Strategy } from './strategy.js';

const searchPart = z.object({ q: z.optional(z.string().check(z.maxLength(200))) });
const groupsMax = 1000;

/** Every group, and what it does when a subscriber enters two of its workflows. */
export function WorkflowGroupsPage() {
  const [{ q = '' }, setSearch] = useScreenSearch(searchPart);
  const [edited, setEdited] = useState<Group | 'new' | null>(null);
  const remove = useRemove();
  const mayEdit = mayAct('editor');
  const create = mayEdit && (
    <Button look="primary" icon="plus" data-compose="" onClick={() => setEdited('new')}>
      {groupText('new')}
    </Button>
  );
  const menu: Column<Group> = {
    id: 'menu',
    header: groupText('actions'),
    width: '5rem',
    align: 'end',
    phone: 'aside',
    cell: (group) => (
      <RowMenu
        label={groupText('more', { name: group.name })}
        items={[
          { text: groupText('edit'), icon: 'settings', onClick: () => setEdited(group) },
          { text: groupText('delete'), icon: 'trash', isDanger: true, onClick: () => void remove(group) },
        ]}
      />
    ),
  };
  return (
    <Page
      title={groupText('title')}
      lead={groupText('lead')}
      fill
      actions={
        <>
          {create}
          <CopyAs tool="list_workflow_groups" input={{ limit: groupsMax }} />
        </>
      }
    >
      <SearchField
        label={groupText('search')}
        value={q}
        onChange={(value) => setSearch({ q: value }, { replace: true })}
        className="mb-3 w-full sm:w-72"
      />
      <RecordList
        label={groupText('title')}
        query={wholeList('list_workflow_groups', { limit: groupsMax, ...(q !== '' && { query: q }) })}
        rowsOf={({ groups }) => groups}
        idOf={({ id }) => id}
        columns={[...columns, ...(mayEdit ? [menu] : [])]}
        target={({ id }) => ({ screen: 'workflows', search: { group: id } })}
        filtered={
          q !== '' && { what: groupText('filtered.query', { query: q }), clear: () => setSearch({ q: undefined }) }
        }
        empty={
          <EmptyState icon="workflow" title={groupText('empty.title')} action={create}>
            {groupText('empty.lead')}
          </EmptyState>
        }
      />
      {edited !== null && <GroupDialog known={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
    </Page>
  );
}

const columns: readonly Column<Group>[] = [
  { id: 'name', header: groupText('name'), width: 'minmax(0, 1fr)', cell: ({ name }) => name },
  {
    id: 'strategy',
    header: groupText('strategy'),
    width: 'minmax(0, 1.5fr)',
    phone: 'detail',
    cell: ({ conflictStrategy }) => (
      <>
        {groupText(`strategy.${conflictStrategy}`)}
        <span className="ms-2 text-soft max-lg:hidden">{groupText(`strategy.${conflictStrategy}.lead`)}</span>
      </>
    ),
  },
  {
    id: 'count',
    header: groupText('workflows'),
    width: '7rem',
    align: 'end',
    cell: ({ workflowsCount }) => number(workflowsCount),
  },
];

function useRemove() {
  const remove = useAction(actions.delete_workflow_group({ button: groupText('delete') }));
  return async ({ id: groupId, name, updatedAt, workflowsCount }: Group) => {
    try {
      await remove.run({
        groupId,
        expectedName: name,
        expectedUpdatedAt: updatedAt,
        // The confirmation says how many workflows lose their group.
        unassignWorkflows: workflowsCount > 0,
      });
      const kept = workflowsCount > 0 ? ` ${groupText('delete.unassign')}` : '';
      notify({ kind: 'done', text: groupText('deleted', { name }) + kept });
    } catch (error) {
      reportFailure(error);
    }
  };
}

function GroupDialog({ known, onClose }: { known: Group | null; onClose: () => void }) {
  const [name, setName] = useState(known?.name ?? '');
  const [conflictStrategy, setStrategy] = useState<Strategy>(known?.conflictStrategy ?? 'CANCEL_EXISTING');
  const [error, setError] = useState<unknown>(null);
  const create = useAction(actions.create_workflow_group());
  const update = useAction(actions.update_workflow_group());
  const fault = issuesByField(error, ['name']).byField.name;
  const isSame = known?.name === name.trim() && known.conflictStrategy === conflictStrategy;
  const submit = async () => {
    try {
      if (!known) await create.run({ name: name.trim(), conflictStrategy });
      else
        await update.run({
          groupId: known.id,
          expectedUpdatedAt: known.updatedAt,
          ...(known.name !== name.trim() && { name: name.trim() }),
          ...(known.conflictStrategy !== conflictStrategy && { conflictStrategy }),
        });
      notify({ kind: 'done', text: groupText(known ? 'saved' : 'created', { name: name.trim() }) });
      onClose();
    } catch (refusal) {
      if (isDeclined(refusal) || approvalOf(refusal)) return onClose();
      setError(refusal);
    }
  };
  return (
    <FormDialog
      title={groupText(known ? 'editTitle' : 'new')}
      button={known ? commonText('save') : groupText('create')}
      busy={create.isPending || update.isPending}
      disabled={name.trim() === '' || isSame}
      error={fault === undefined ? error : undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <NameField label={groupText('name')} fault={fault} value={name} onChange={setName} />
      <StrategyChoice value={conflictStrategy} onChange={setStrategy} />
      {known && <p className="text-sm text-soft">{groupText('future')}</p>}
    </FormDialog>
  );
}
