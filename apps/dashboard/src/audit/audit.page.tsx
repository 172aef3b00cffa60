import { useState } from 'react';
import { notify } from '../data/notices.js';
import { reportFailure } from '../data/report-failure.js';
import { actions, pages } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { auditText } from '../messages/en/audit.js';
import { dateTime } from '../messages/format.js';
import { dayStart } from '../parts/day-start.js';
import { Page } from '../parts/page.js';
import { RecordList } from '../parts/record-list.js';
import type { Column } from '../parts/record-row.js';
import { useScreenSearch } from '../parts/screen-search.js';
import { Button } from '../ui/button.js';
import { EmptyState } from '../ui/states.js';
import { AuditFilters } from './audit-filters.js';
import { auditSearch } from './audit-search.js';
import type { AuditEntry, AuditSearch } from './audit-search.js';
import { EntryDialog } from './entry-dialog.js';

const columns: readonly Column<AuditEntry>[] = [
  {
    id: 'tool',
    header: auditText('tool'),
    width: 'minmax(0, 1.2fr)',
    cell: ({ tool }) => tool.replaceAll('_', ' '),
  },
  {
    id: 'actor',
    header: auditText('actor'),
    width: 'minmax(0, 1.2fr)',
    phone: 'detail',
    cell: ({ actor, approvedBy }) => (
      <>
        {actor.name ?? actor.id}
        {approvedBy && (
          <span className="text-soft"> {auditText('approvedBy', { name: approvedBy.name ?? approvedBy.id })}</span>
        )}
      </>
    ),
  },
  {
    id: 'target',
    header: auditText('target'),
    cell: ({ target }) => <span className="font-mono text-xs text-soft">{target ?? '–'}</span>,
  },
  {
    id: 'source',
    header: auditText('source'),
    width: '6rem',
    cell: ({ source }) => <span className="text-soft">{auditText(`source.${source}`)}</span>,
  },
  {
    id: 'outcome',
    header: auditText('outcome'),
    width: 'minmax(0, 0.8fr)',
    phone: 'aside',
    cell: ({ outcome }) => <span className={outcome === 'OK' ? 'text-good' : 'text-bad'}>{outcome}</span>,
  },
  {
    id: 'at',
    header: auditText('at'),
    width: '11.5rem',
    align: 'end',
    phone: 'detail',
    cell: ({ at }) => <span className="text-soft">{dateTime(at)}</span>,
  },
];

/** The filters as the tools take them; days are those of this browser. */
function filterOf({ actor, tool, target, source, from, to }: AuditSearch) {
  return {
    ...(actor && { actorId: actor }),
    ...(tool && { tool: tool.trim().toLowerCase().replaceAll(' ', '_') }),
    ...(target && { target }),
    ...(source && { source }),
    ...(from && { since: dayStart(from) }),
    ...(to && { until: dayStart(to, 1) }),
  };
}

/** Who changed what, and when. */
export function AuditPage() {
  const [search, setSearch] = useScreenSearch(auditSearch);
  const [open, setOpen] = useState<AuditEntry | null>(null);
  const exportLog = useAction(actions.export_audit_log());
  const filter = filterOf(search);
  const hasFilter = Object.keys(filter).length > 0;
  const clear = () =>
    setSearch({
      actor: undefined,
      tool: undefined,
      target: undefined,
      source: undefined,
      from: undefined,
      to: undefined,
    });
  const download = async () => {
    try {
      const { downloadUrl } = await exportLog.run({ ...filter, format: 'CSV' });
      location.assign(downloadUrl);
      notify({ kind: 'done', text: auditText('csvReady') });
    } catch (error) {
      reportFailure(error);
    }
  };
  return (
    <Page
      title={auditText('title')}
      lead={auditText('lead')}
      fill
      actions={
        <Button icon="download" busy={exportLog.isPending} onClick={() => void download()}>
          {auditText('csv')}
        </Button>
      }
    >
      <AuditFilters search={search} onChange={setSearch} {...(hasFilter && { onClear: clear })} />
      <RecordList
        label={auditText('title')}
        query={pages.list_audit_entries({ ...filter, limit: 100 })}
        rowsOf={({ entries }) => entries}
        idOf={({ id }) => id}
        columns={columns}
        onOpen={setOpen}
        filtered={hasFilter && { what: auditText('filtered'), clear }}
        empty={
          <EmptyState icon="clock" title={auditText('empty.title')}>
            {auditText('empty.lead')}
          </EmptyState>
        }
      />
      {open && <EntryDialog entry={open} onClose={() => setOpen(null)} />}
    </Page>
  );
}
