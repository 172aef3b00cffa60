import { useState } from 'react';
import { filterText, filterWord } from '../../messages/en/filters.js';
import { Check, Choice, TextInput } from '../../ui/field.js';
import { RecordPicker } from '../record-picker.js';
import type { PickedNoun } from '../record-picker.js';
import type { Filter, FilterParam } from './filter.js';

/** The control for one value of a filter, by the kind that its schema says. */
export function FilterValue({
  filter,
  param,
  onChange,
}: {
  filter: Filter;
  param: FilterParam;
  onChange: (filter: Filter) => void;
}) {
  const { name, kind, isOptional, choices, noun } = param;
  const value = filter[name];
  const set = (next: unknown) => {
    const { [name]: _old, ...rest } = filter;
    onChange((next === undefined ? rest : { ...rest, [name]: next }) as Filter);
  };
  const label = filterWord(name);
  switch (kind) {
    case 'record':
    case 'records':
      return (
        <RecordValue
          filter={filter}
          name={name}
          noun={noun as PickedNoun}
          isMultiple={kind === 'records'}
          onChange={onChange}
        />
      );
    case 'choice':
      return (
        <Choice
          aria-label={label}
          value={String(value ?? '')}
          onChange={({ target }) => set(target.value || undefined)}
          options={[
            ...(isOptional ? [{ value: '', label: filterText('any') }] : []),
            ...choices!.map((choice) => ({ value: choice, label: filterWord(choice) })),
          ]}
          className="w-28"
        />
      );
    case 'flag':
      return (
        <Check
          label={label}
          checked={value === true}
          onChange={({ target }) => {
            if (!target.checked) return set(undefined);
            // "any" stands in the place of a named record.
            const rest = Object.entries(filter).filter(([key]) => !/(?:Ids?|Names?)$/.test(key));
            onChange({ ...(Object.fromEntries(rest) as Filter), [name]: true });
          }}
        />
      );
    case 'number':
      return (
        <TextInput
          type="number"
          step="any"
          aria-label={label}
          placeholder={isOptional ? label : ''}
          value={value === undefined ? '' : String(value)}
          onChange={({ target }) => set(target.value === '' ? undefined : Number(target.value))}
          className={isOptional ? 'w-40!' : 'w-24!'}
        />
      );
    case 'date':
      return (
        <TextInput
          type="date"
          aria-label={label}
          value={typeof value === 'string' ? value.slice(0, 10) : ''}
          onChange={({ target }) => set(target.value || undefined)}
          className="w-40!"
        />
      );
    case 'texts':
      return <TextsValue label={filterText('values')} value={value} onChange={set} />;
    case 'text':
      return (
        <TextInput
          aria-label={label}
          placeholder={isOptional ? label : ''}
          value={value === undefined ? '' : String(value)}
          onChange={({ target }) => set(target.value === '' ? undefined : target.value)}
          className="w-52!"
        />
      );
  }
}

const splitTexts = (text: string): string[] =>
  text.split(',').flatMap((one) => (one.trim() === '' ? [] : [one.trim()]));

/** Several texts, typed with commas between. */
function TextsValue({ label, value, onChange }: { label: string; value: unknown; onChange: (value: unknown) => void }) {
  const given = Array.isArray(value) ? value.map(String) : [];
  const [text, setText] = useState(given.join(', '));
  // The filter was replaced by other means than typing.
  if (JSON.stringify(splitTexts(text)) !== JSON.stringify(given)) setText(given.join(', '));
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        const values = splitTexts(target.value);
        onChange(values.length > 0 ? values : undefined);
      }}
      className="w-60!"
    />
  );
}

/** A record by id. Filters of the API may name it instead; then the name is shown until another is chosen. */
function RecordValue({
  filter,
  name,
  noun,
  isMultiple,
  onChange,
}: {
  filter: Filter;
  name: string;
  noun: PickedNoun;
  isMultiple: boolean;
  onChange: (filter: Filter) => void;
}) {
  const nameKey = name.replace(/Id(s?)$/, 'Name$1');
  const given = filter[name] ?? filter[nameKey];
  const ids = given === undefined ? [] : [given].flat().map(String);
  return (
    <RecordPicker
      noun={noun}
      label={filterWord(noun)}
      placeholder={filterWord(noun)}
      ids={ids}
      multiple={isMultiple}
      onChange={(next) => {
        const { [name]: _id, [nameKey]: _name, any: _any, ...rest } = filter;
        onChange((next.length === 0 ? rest : { ...rest, [name]: isMultiple ? next : next[0] }) as Filter);
      }}
      className="w-56"
    />
  );
}
