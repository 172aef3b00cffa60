import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { ToolData } from '#client';
import { notify } from '../data/notices.js';
import { queries, actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { organizationText } from '../messages/en/organization.js';
import { number } from '../messages/format.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Button } from '../ui/button.js';
import { Field, TextInput } from '../ui/field.js';
import { Section } from '../ui/section.js';
import { Skeleton } from '../ui/states.js';

type Kept = ToolData<'get_retention'>['retention'][number];

/** Rows are counted up to this number. */
const countedMax = 100_000;

/** For how many months data is kept, and what goes in the next night. */
export function RetentionSection({ readOnly }: { readOnly: boolean }) {
  const { data, error, refetch } = useQuery(queries.get_retention({}));
  return (
    <Section title={organizationText('retention.title')} lead={organizationText('retention.lead')}>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-48" />}
      {data && <RetentionForm retention={data.retention} readOnly={readOnly} />}
    </Section>
  );
}

function RetentionForm({ retention, readOnly }: { retention: readonly Kept[]; readOnly: boolean }) {
  const [typed, setTyped] = useState<Partial<Record<Kept['data'], number | null>>>({});
  const { run, isPending, error } = useAction(actions.set_retention());
  const changes = Object.fromEntries(
    retention.flatMap(({ data, period }) => {
      const months = typed[data];
      return months === undefined || months === period ? [] : [[data, months]];
    }),
  );
  const save = async () => {
    await run(changes, { button: organizationText('retention.save') });
    setTyped({});
    notify({ kind: 'done', text: organizationText('retention.saved') });
  };
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        // The refusal stands below the fields.
        save().catch(() => undefined);
      }}
    >
      <fieldset disabled={readOnly || isPending} className="flex max-w-md flex-col gap-5">
        {retention.map((one) => (
          <Period
            key={one.data}
            kept={one}
            months={typed[one.data] === undefined ? one.period : typed[one.data]!}
            onChange={(months) => setTyped({ ...typed, [one.data]: months })}
          />
        ))}
      </fieldset>
      {error && <ErrorNotice error={error} />}
      {Object.keys(changes).length > 0 && (
        <div>
          <Button type="submit" look="primary" busy={isPending}>
            {organizationText('retention.save')}
          </Button>
        </div>
      )}
    </form>
  );
}

interface PeriodProps {
  kept: Kept;
  months: number | null;
  onChange: (months: number | null) => void;
}

function Period({ kept: { data, period, installation, min, deletesNow }, months, onChange }: PeriodProps) {
  const held = period ?? installation;
  return (
    <Field
      label={organizationText(`retention.${data}`)}
      hint={
        <>
          {organizationText(`retention.${data}Hint`)}{' '}
          {held === null
            ? organizationText('retention.forever')
            : organizationText('retention.months', { count: held })}
          {'. '}
          {deletesNow >= countedMax
            ? organizationText('retention.more', { count: number(countedMax) })
            : deletesNow === 0
              ? organizationText('retention.nothing')
              : organizationText('retention.tonight', { count: deletesNow })}
          .
        </>
      }
    >
      {(control) => (
        <TextInput
          {...control}
          type="number"
          min={min}
          max={installation ?? 1200}
          placeholder={installation === null ? '∞' : String(installation)}
          title={organizationText('retention.range', { min })}
          value={months ?? ''}
          onChange={({ target }) => onChange(target.value === '' ? null : target.valueAsNumber)}
          className="w-28!"
        />
      )}
    </Field>
  );
}
