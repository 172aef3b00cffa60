import { lazy, Suspense, useState } from 'react';
import type { ToolData } from '#client';
import { pages } from '../data/tools.calls.js';
import { importText } from '../messages/en/imports.js';
import { dateTime, number } from '../messages/format.js';
import { CopyAs } from '../parts/copy-as.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Page } from '../parts/page.js';
import { RecordList } from '../parts/record-list.js';
import type { Column } from '../parts/record-row.js';
import { Button } from '../ui/button.js';
import { Callout, EmptyState } from '../ui/states.js';
import { FileChoice } from './file-choice.js';
import { useNewImport } from './import-files.js';
import { ImportBadge, importName } from './import-state.js';
import { saveSample } from './sample-file.js';

const PasteDialog = lazy(async () => ({ default: (await import('./paste-dialog.js')).PasteDialog }));

type Row = ToolData<'list_subscriber_imports'>['imports'][number];

const none = <span className="text-soft">–</span>;
const hasRun = ({ state }: Row) => ['RUNNING', 'DONE', 'FAILED', 'CANCELED'].includes(state);
const countColumn = (id: 'imported' | 'updated' | 'failed'): Column<Row> => ({
  id,
  header: importText(id),
  width: '4.5rem',
  align: 'end',
  cell: (row) => (hasRun(row) ? number(row[id]) : none),
});

const columns: readonly Column<Row>[] = [
  { id: 'name', header: importText('name'), width: 'minmax(0, 2fr)', cell: importName },
  {
    id: 'state',
    header: importText('state'),
    width: '9.5rem',
    phone: 'aside',
    cell: ({ state }) => <ImportBadge state={state} />,
  },
  {
    id: 'rows',
    header: importText('rows'),
    width: '4.5rem',
    align: 'end',
    cell: ({ rows }) => (rows === null ? none : number(rows)),
  },
  countColumn('imported'),
  countColumn('updated'),
  countColumn('failed'),
  {
    id: 'created',
    header: importText('created'),
    width: '11.5rem',
    align: 'end',
    phone: 'detail',
    cell: ({ createdAt }) => <span className="text-soft">{dateTime(createdAt)}</span>,
  },
];

/** Begins an import with a file or rows, and lists those of the last days. */
export function ImportsPage() {
  const { begin, isPending, error, problem } = useNewImport();
  const [isPasting, setPasting] = useState(false);
  return (
    <Page
      title={importText('title')}
      lead={importText('lead')}
      fill
      actions={
        <>
          <Button icon="download" onClick={saveSample}>
            <span className="max-sm:sr-only">{importText('sample')}</span>
          </Button>
          <Button icon="field" data-compose="" onClick={() => setPasting(true)}>
            <span className="max-sm:sr-only">{importText('paste')}</span>
          </Button>
          <CopyAs tool="list_subscriber_imports" input={{}} />
        </>
      }
    >
      <div className="flex flex-col gap-3 pb-6">
        <FileChoice label={importText('choose')} busy={isPending} onFile={(file) => void begin(file)} />
        {problem !== null && <Callout tone="bad">{problem}</Callout>}
        {error && !isPasting && <ErrorNotice error={error} />}
      </div>
      <h2 className="pb-2 text-base font-semibold">{importText('before')}</h2>
      <RecordList
        label={importText('before')}
        query={pages.list_subscriber_imports({ limit: 100 })}
        rowsOf={({ imports }) => imports}
        idOf={({ id }) => id}
        columns={columns}
        target={({ id }) => ({ screen: 'subscriberImport', params: { importId: id } })}
        empty={
          <EmptyState
            icon="upload"
            title={importText('empty.title')}
            action={
              <Button icon="download" onClick={saveSample}>
                {importText('sample')}
              </Button>
            }
          >
            {importText('empty.lead')}
          </EmptyState>
        }
      />
      {isPasting && (
        <Suspense fallback={null}>
          <PasteDialog busy={isPending} error={error} onFile={begin} onClose={() => setPasting(false)} />
        </Suspense>
      )}
    </Page>
  );
}
