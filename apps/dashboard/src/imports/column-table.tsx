import { useQuery } from '@tanstack/react-query';
import { queries } from '../data/tools.calls.js';
import { importText } from '../messages/en/imports.js';
import { Choice } from '../ui/field.js';
import { examplesOf, fieldOf, fieldTarget, fieldTypes, standardTargets } from './mapping.js';
import type { ColumnChoice, FieldType, ImportHead } from './mapping.js';

/** Each column of the file with its first values, and what it becomes. */
export function ColumnTable({
  head,
  choices,
  faults,
  onChange,
}: {
  head: ImportHead;
  choices: readonly ColumnChoice[];
  /** By place of the column. */
  faults: ReadonlyMap<number, string>;
  onChange: (choices: ColumnChoice[]) => void;
}) {
  const { data } = useQuery(queries.get_custom_fields({}));
  const known = (data?.customFields ?? []).map(({ name }) => name);
  return (
    <ul className="divide-y divide-line border-y border-line">
      {head.columns.map((heading, place) => (
        <ColumnRow
          key={place}
          name={heading === '' ? importText('columns.noHeading', { number: place + 1 }) : heading}
          examples={examplesOf(head, place)}
          choice={choices[place]!}
          fields={fieldNames(known, heading, choices[place]!)}
          isNamed={heading !== ''}
          fault={faults.get(place)}
          onChange={(choice) => onChange(choices.map((one, at) => (at === place ? choice : one)))}
        />
      ))}
    </ul>
  );
}

interface FieldName {
  name: string;
  isNew: boolean;
}

/** The fields that a column can fill: those that exist, and a new one of its own name. */
function fieldNames(known: readonly string[], heading: string, { target }: ColumnChoice): FieldName[] {
  const has = (name: string) => known.some((one) => one.toLowerCase() === name.toLowerCase());
  const wanted = [fieldOf(target), heading === '' ? null : heading];
  const added = [...new Set(wanted.filter((name) => name !== null && !has(name)))] as string[];
  const ofTarget = fieldOf(target);
  return [
    ...added.map((name) => ({ name, isNew: true })),
    // The spelling of the file, where it differs from that of the field.
    ...(ofTarget !== null && has(ofTarget) && !known.includes(ofTarget) ? [{ name: ofTarget, isNew: false }] : []),
    ...known.map((name) => ({ name, isNew: false })),
  ];
}

function ColumnRow({
  name,
  examples,
  choice,
  fields,
  isNamed,
  fault,
  onChange,
}: {
  name: string;
  examples: readonly string[];
  choice: ColumnChoice;
  fields: readonly FieldName[];
  /** A column without a heading cannot be mapped. */
  isNamed: boolean;
  fault: string | undefined;
  onChange: (choice: ColumnChoice) => void;
}) {
  const isField = fieldOf(choice.target) !== null;
  return (
    <li className="grid items-start gap-x-4 gap-y-2 py-3 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
      <div className="min-w-0">
        <p className="font-medium wrap-anywhere">{name}</p>
        <p className="truncate text-sm text-soft" title={examples.join(' · ')}>
          {examples.length === 0 ? importText('columns.noExample') : examples.join(' · ')}
        </p>
      </div>
      <div className="flex min-w-0 flex-col gap-2">
        <div className="flex gap-2">
          <Choice
            aria-label={importText('columns.targetOf', { column: name })}
            disabled={!isNamed}
            value={choice.target}
            onChange={({ target }) => onChange({ ...choice, target: target.value })}
            options={[{ value: '', label: importText('target.') }]}
            groups={[
              {
                label: importText('target.standard'),
                options: standardTargets.map((value) => ({ value, label: importText(`target.${value}`) })),
              },
              {
                label: importText('target.fields'),
                options: fields.map(({ name: field, isNew }) => ({
                  value: fieldTarget(field),
                  label: isNew ? importText('target.newField', { name: field }) : field,
                })),
              },
            ]}
            className="flex-1"
          />
          {isField && (
            <Choice
              aria-label={importText('columns.typeOf', { column: name })}
              value={choice.type}
              onChange={({ target }) => onChange({ ...choice, type: target.value as FieldType })}
              options={fieldTypes.map((value) => ({ value, label: importText(`type.${value}`) }))}
              className="flex-1"
            />
          )}
        </div>
        {fault !== undefined && <p className="text-sm text-bad">{fault}</p>}
      </div>
    </li>
  );
}
