import { useState } from 'react';
import { issuesByField } from '../data/refusal.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { importText } from '../messages/en/imports.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Button } from '../ui/button.js';
import { Section } from '../ui/section.js';
import { Callout } from '../ui/states.js';
import { ColumnTable } from './column-table.js';
import { choicesOf, isSameMapping, mappingOf } from './mapping.js';
import type { Import, ImportHead } from './mapping.js';
import { startOptions } from './options.js';
import { OptionFields } from './option-fields.js';

/** What the columns mean and how rows are imported; Check reads all rows by it. */
export function ColumnsForm({ one, onChecking }: { one: Import; onChecking: () => void }) {
  if (!one.head) return <Callout tone="bad">{importText('columns.none')}</Callout>;
  return <Columns one={one} head={one.head} onChecking={onChecking} />;
}

function Columns({ one, head, onChecking }: { one: Import; head: ImportHead; onChecking: () => void }) {
  const check = useAction(actions.check_subscriber_import());
  const [choices, setChoices] = useState(() => choicesOf(head.columns, one.check?.mapping ?? head.mapping));
  const [options, setOptions] = useState(() => startOptions(one.check));
  const mapping = mappingOf(head.columns, choices);
  const hasEmail = choices.some(({ target }) => target === 'email');
  const faults = faultsOf(check.error, mapping, head.columns);
  const submit = async () => {
    // Only of an inferred mapping does the check find out which fields hold dates.
    const given = isSameMapping(mapping, head.mapping) ? {} : { mapping };
    await check.run({ importId: one.id, options, ...given });
    onChecking();
  };
  return (
    <form
      className="flex flex-col gap-8"
      onSubmit={(event) => {
        event.preventDefault();
        if (hasEmail && !check.isPending) void submit().catch(() => undefined);
      }}
    >
      {one.failure !== null && <Callout tone="warn">{importText('done.checkFailed', { reason: one.failure })}</Callout>}
      <Section title={importText('columns.title')}>
        <ColumnTable head={head} choices={choices} faults={faults} onChange={setChoices} />
      </Section>
      <Section title={importText('options.title')}>
        <OptionFields options={options} onChange={(change) => setOptions({ ...options, ...change })} />
      </Section>
      {check.error && <ErrorNotice error={check.error} />}
      <div className="sticky bottom-0 -mx-1 flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line bg-paper px-1 py-3">
        <Button look="primary" type="submit" busy={check.isPending} disabled={!hasEmail}>
          {importText('check.button')}
        </Button>
        <p className="min-w-0 flex-1 text-sm text-soft">{importText(hasEmail ? 'check.lead' : 'columns.noEmail')}</p>
      </div>
    </form>
  );
}

/** The issues of a refused mapping, by the place of their column in the file. */
function faultsOf(error: unknown, mapping: readonly { column: string }[], columns: readonly string[]) {
  const names = mapping.map((_one, place) => `mapping.${place}`);
  const { byField } = issuesByField(error, names);
  return new Map(
    mapping.flatMap(({ column }, place) => {
      const fault = byField[`mapping.${place}`];
      return fault === undefined ? [] : [[columns.indexOf(column), fault] as const];
    }),
  );
}
