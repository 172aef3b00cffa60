import { useState } from 'react';
import type { ToolName } from '#client';
import { notify } from '../data/notices.js';
import { approvalOf, isDeclined } from '../data/refusal.js';
import type { PageQuery } from '../data/tools.calls.js';
import { commonText } from '../messages/en/common.js';
import { Button } from '../ui/button.js';
import type { IconName } from '../ui/icon.js';
import { EmptyState } from '../ui/states.js';
import { CopyAs } from './copy-as.js';
import { NameDialog } from './name-dialog.js';
import { mayAct } from './own-role.js';
import { Page } from './page.js';
import { RecordList } from './record-list.js';
import type { Column } from './record-row.js';
import { RowMenu } from './row-menu.js';
import type { ScreenTarget } from './screen-link.js';
import { SearchField } from './search-field.js';
import { RefusalNotice } from './used-by.js';

/** A record that consists of its name, such as a tag. */
export interface NamedRecord {
  id: string;
  name: string;
}

type TextKey =
  | 'actions'
  | 'create'
  | 'created'
  | 'delete'
  | 'deleted'
  | 'empty.lead'
  | 'empty.title'
  | 'filtered.query'
  | 'lead'
  | 'more'
  | 'name'
  | 'nameHint'
  | 'new'
  | 'rename'
  | 'renameTitle'
  | 'renamed'
  | 'search'
  | 'title';

/** How the records are changed; each call rejects with its refusal. */
export interface NameCalls {
  create: (name: string) => Promise<unknown>;
  rename: (id: string, name: string) => Promise<unknown>;
  remove: (id: string) => Promise<unknown>;
}

interface Props<D, R extends NamedRecord> {
  /** The texts of the noun. */
  text: (key: TextKey, values?: Record<string, string>) => string;
  icon: IconName;
  /** The tool that lists the records, as "copy as" shows it. */
  tool: ToolName;
  query: PageQuery<D>;
  rowsOf: (page: D) => readonly R[];
  /** The part of the address. */
  search: string;
  onSearch: (search: string) => void;
  /** Columns after the name. */
  columns?: readonly Column<R>[];
  target?: (row: R) => ScreenTarget;
  calls: NameCalls;
}

/** The page of records that consist of a name: find, create, rename with undo, and delete. */
export function NamedRecords<D, R extends NamedRecord>(props: Props<D, R>) {
  const { text, icon, tool, query, rowsOf, search, onSearch, columns = [], target, calls } = props;
  const { renamed, setRenamed, refusal, create, rename, remove } = useNameChanges<R>(text, calls);
  const mayEdit = mayAct('editor');
  const newButton = mayEdit && (
    <Button look="primary" icon="plus" data-compose="" onClick={() => setRenamed('new')}>
      {text('new')}
    </Button>
  );
  const menu = { text, icon, onRename: setRenamed, onDelete: remove };
  return (
    <Page
      title={text('title')}
      lead={text('lead')}
      fill
      actions={
        <>
          {newButton}
          <CopyAs tool={tool} input={{}} />
        </>
      }
    >
      {refusal !== null && (
        <div className="pb-3">
          <RefusalNotice error={refusal} />
        </div>
      )}
      <SearchField label={text('search')} value={search} onChange={onSearch} className="mb-3 w-full sm:w-72" />
      <RecordList
        label={text('title')}
        query={query}
        rowsOf={(page) => rowsOf(page).filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()))}
        idOf={({ id }) => id}
        columns={[
          { id: 'name', header: text('name'), cell: ({ name }) => name },
          ...columns,
          ...(mayEdit ? [menuColumn<R>(menu)] : []),
        ]}
        target={target}
        filtered={search !== '' && { what: text('filtered.query', { query: search }), clear: () => onSearch('') }}
        empty={
          <EmptyState icon={icon} title={text('empty.title')} action={newButton}>
            {text('empty.lead')}
          </EmptyState>
        }
      />
      {renamed !== null && (
        <NameDialog
          title={text(renamed === 'new' ? 'new' : 'renameTitle')}
          label={text('name')}
          hint={text('nameHint')}
          button={renamed === 'new' ? text('create') : commonText('save')}
          start={renamed === 'new' ? '' : renamed.name}
          onSave={(name) => (renamed === 'new' ? create(name) : rename(renamed, name))}
          onClose={() => setRenamed(null)}
        />
      )}
    </Page>
  );
}

function menuColumn<R extends NamedRecord>({
  text,
  icon,
  onRename,
  onDelete,
}: Pick<Props<never, R>, 'text' | 'icon'> & {
  onRename: (record: R) => void;
  onDelete: (record: R) => Promise<void>;
}): Column<R> {
  return {
    id: 'menu',
    header: text('actions'),
    width: '5rem',
    align: 'end',
    phone: 'aside',
    cell: (record) => (
      <RowMenu
        label={text('more', { name: record.name })}
        items={[
          { text: text('rename'), icon, onClick: () => onRename(record) },
          { text: text('delete'), icon: 'trash', isDanger: true, onClick: () => void onDelete(record) },
        ]}
      />
    ),
  };
}

/** Creates, renames and deletes records; `refusal` is the last deletion that was refused. */
function useNameChanges<R extends NamedRecord>(text: Props<never, R>['text'], calls: NameCalls) {
  const [renamed, setRenamed] = useState<R | 'new' | null>(null);
  const [refusal, setRefusal] = useState<unknown>(null);
  return {
    renamed,
    setRenamed,
    refusal,
    create: async (name: string) => {
      await calls.create(name);
      notify({ kind: 'done', text: text('created', { name }) });
    },
    rename: async ({ id, name: before }: R, name: string) => {
      if (name === before) return;
      await calls.rename(id, name);
      notify({
        kind: 'done',
        text: text('renamed', { name: before, next: name }),
        undo: async () => void (await calls.rename(id, before)),
      });
    },
    remove: async ({ id, name }: R) => {
      setRefusal(null);
      try {
        await calls.remove(id);
        notify({ kind: 'done', text: text('deleted', { name }) });
      } catch (error) {
        if (!isDeclined(error) && !approvalOf(error)) setRefusal(error);
      }
    },
  };
}
