import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { pages, queries } from '../data/tools.calls.js';
import { installationText } from '../messages/en/installation.js';
import { dateTime, number } from '../messages/format.js';
import { Page } from '../parts/page.js';
import { RecordList } from '../parts/record-list.js';
import type { Column } from '../parts/record-row.js';
import { useScreenSearch } from '../parts/screen-search.js';
import { StatusTabs } from '../parts/status-tabs.js';
import { Button } from '../ui/button.js';
import { Callout, EmptyState } from '../ui/states.js';
import { DeadLetterDialog } from './dead-letter-dialog.js';
import type { DeadLetter } from './dead-letter-dialog.js';
import { DiscardDialog } from './discard-dialog.js';
import { deadLetterSearch, services } from './installation-search.js';
import { OrganizationChoice } from './organization-choice.js';
import { RetryDialog } from './retry-dialog.js';
import type { RetryTarget } from './retry-dialog.js';

const columns: readonly Column<DeadLetter>[] = [
  { id: 'event', header: installationText('event'), cell: ({ event }) => event },
  { id: 'service', header: installationText('service'), width: '7rem', phone: 'aside', cell: ({ service }) => service },
  {
    id: 'error',
    header: installationText('error'),
    width: 'minmax(0, 2fr)',
    phone: 'detail',
    cell: ({ error }) => <span className="text-soft">{error}</span>,
  },
  {
    id: 'attempts',
    header: installationText('attempts'),
    width: '5rem',
    align: 'end',
    cell: ({ attempts }) => number(attempts),
  },
  {
    id: 'failedAt',
    header: installationText('failedAt'),
    width: '11.5rem',
    align: 'end',
    cell: ({ failedAt }) => <span className="text-soft">{dateTime(failedAt)}</span>,
  },
];

type Layer =
  | { kind: 'letter'; letter: DeadLetter }
  | { kind: 'retry'; target: RetryTarget; clear?: () => void }
  | { kind: 'discard'; ids: string[]; clear?: () => void };

/** Events that services could not apply: why, with what payload, and another try. */
export function DeadLettersPage() {
  const [{ service }, setSearch] = useScreenSearch(deadLetterSearch);
  const [layer, setLayer] = useState<Layer | null>(null);
  const filter = service ? { service } : {};
  const { data } = useQuery(queries.list_dead_letters({ ...filter, limit: 1 }));
  const total = data?.total ?? 0;
  return (
    <Page
      title={installationText('deadLetters')}
      lead={installationText('letters.lead')}
      fill
      actions={
        service &&
        total > 0 && (
          <Button onClick={() => setLayer({ kind: 'retry', target: { service } })}>
            {installationText('retry.service', { service })}
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-3 pb-3">
        <OrganizationChoice onChange={(organization) => setSearch({ organization })} />
        <StatusTabs
          label={installationText('service')}
          value={service ?? 'all'}
          onChange={(value) => setSearch({ service: value === 'all' ? undefined : value })}
          tabs={(['all', ...services] as const).map((value) => ({
            value,
            label: value === 'all' ? installationText('service.all') : value,
            ...(value === (service ?? 'all') && data && { count: data.total }),
          }))}
        />
        {data && data.unavailable.length > 0 && (
          <Callout tone="warn">
            {installationText('letters.unavailable', { services: data.unavailable.join(', ') })}
          </Callout>
        )}
      </div>
      <RecordList
        label={installationText('deadLetters')}
        query={pages.list_dead_letters({ ...filter, limit: 100 })}
        rowsOf={({ deadLetters }) => deadLetters}
        idOf={({ id }) => id}
        columns={columns}
        onOpen={(letter) => setLayer({ kind: 'letter', letter })}
        bulk={({ rows, clear }) => {
          // A call takes 100.
          const ids = rows.slice(0, 100).map(({ id }) => id);
          return (
            <>
              <Button small onClick={() => setLayer({ kind: 'retry', target: { ids }, clear })}>
                {installationText('retry.chosen')}
              </Button>
              <Button small onClick={() => setLayer({ kind: 'discard', ids, clear })}>
                {installationText('discard.chosen')}
              </Button>
            </>
          );
        }}
        filtered={
          service && {
            what: installationText('letters.noneOf', { service }),
            clear: () => setSearch({ service: undefined }),
          }
        }
        empty={
          <EmptyState icon="check" title={installationText('letters.none')}>
            {installationText('letters.noneLead')}
          </EmptyState>
        }
      />
      {layer && <Layers layer={layer} setLayer={setLayer} />}
    </Page>
  );
}

function Layers({ layer, setLayer }: { layer: Layer; setLayer: (layer: Layer | null) => void }) {
  const close = () => setLayer(null);
  if (layer.kind === 'letter') {
    const { id } = layer.letter;
    return (
      <DeadLetterDialog
        letter={layer.letter}
        onRetry={() => setLayer({ kind: 'retry', target: { ids: [id] } })}
        onDiscard={() => setLayer({ kind: 'discard', ids: [id] })}
        onClose={close}
      />
    );
  }
  const done = () => {
    layer.clear?.();
    close();
  };
  return layer.kind === 'retry' ? (
    <RetryDialog target={layer.target} onDone={done} onClose={close} />
  ) : (
    <DiscardDialog ids={layer.ids} onDone={done} onClose={close} />
  );
}
