import { useState } from 'react';
import { commonText } from '../messages/en/common.js';
import { weekday } from '../messages/format-calendar.js';
import { stepText } from '../messages/en/workflow-steps.js';
import { FilterBuilder } from '../parts/filter/filter-builder.js';
import type { Filter } from '../parts/filter/filter.js';
import { RecordPicker } from '../parts/record-picker.js';
import type { PickedNoun } from '../parts/record-picker.js';
import { Check, Choice, Field, TextArea, TextInput } from '../ui/field.js';
import { Icon } from '../ui/icon.js';
import { Callout } from '../ui/states.js';
import { BranchesField } from './branches-field.js';
import type { SplitBranch } from './branches-field.js';
import { formOf, forms, propertiesOf, withField, withForm, withKind } from './config-fields.js';
import type { Config, ConfigSchema, Form } from './config-fields.js';
import { SecondsField, SpanField } from './span-field.js';
import type { Unit } from './step-words.js';
import { fieldLabel, kindWord } from './step-labels.js';

interface FormProps {
  schema: ConfigSchema;
  config: Config;
  /** By field of the config. */
  faults: Readonly<Record<string, string>>;
  /** Steps that a step may lead to. */
  targets: readonly { id: string; title: string }[];
  onChange: (config: Config) => void;
}

/** The fields of a config, made from its JSON Schema: what the schema says of a field decides its control. */
export function ConfigForm({ type, ...props }: FormProps & { type: string }) {
  const form = formOf(type, props.config);
  return (
    <>
      {form && (
        <Field label={stepText('form')}>
          {(control) => (
            <Choice
              {...control}
              value={form.name}
              options={forms[type]!.map(({ name }) => ({
                value: name,
                label: stepText(type === 'GOAL' && isEither(name) ? `when.${name}` : `form.${name}`),
              }))}
              onChange={({ target }) =>
                props.onChange(
                  withForm(
                    props.config,
                    forms[type]!.find(({ name }) => name === target.value)!,
                  ),
                )
              }
            />
          )}
        </Field>
      )}
      <Fields {...props} {...(form && { only: form.fields })} />
    </>
  );
}

const isEither = (name: Form['name']): name is 'event' | 'filters' => name === 'event' || name === 'filters';

function Fields({ only, ...props }: FormProps & { only?: readonly string[] }) {
  const { schema, config, faults, onChange } = props;
  const { kinds, properties, required } = propertiesOf(schema, config);
  const isSpan = 'amount' in properties && 'unit' in properties;
  const names = Object.keys(properties).filter(
    (name) =>
      (only?.includes(name) ?? true) &&
      name !== 'unit' &&
      // Two ways to say the same: the one that is used.
      !(isSpan && name === (config.duration === undefined ? 'duration' : 'amount')),
  );
  return (
    <>
      {kinds.length > 1 && (
        <Field label={fieldLabel('kind')} fault={faults.kind}>
          {(control) => (
            <Choice
              {...control}
              value={String(config.kind ?? '')}
              options={kinds.map((value) => ({ value, label: kindWord(value) }))}
              onChange={({ target }) => onChange(withKind(schema, config, target.value))}
            />
          )}
        </Field>
      )}
      {names.map((name) => (
        <ConfigField
          key={`${String(config.kind)}/${name}`}
          {...props}
          name={name}
          field={properties[name]!}
          isRequired={required.includes(name)}
        />
      ))}
    </>
  );
}

interface FieldProps extends FormProps {
  name: string;
  field: ConfigSchema;
  isRequired: boolean;
}

/** Nouns whose records a field names. */
const nounOf: Record<string, PickedNoun> = {
  tags: 'tag',
  fieldId: 'field',
  field: 'field',
  campaignId: 'campaign',
  workflowId: 'workflow',
  senderId: 'sender',
};

const hints: Record<string, string> = {
  offsetDays: stepText('hint.offsetDays'),
  timeout: stepText('hint.timeout'),
  secret: stepText('hint.secret'),
};

function ConfigField(props: FieldProps) {
  const { name, field, config, faults, onChange } = props;
  const value = config[name];
  const set = (next: unknown) => onChange(withField(config, name, next));
  if (name === 'event')
    return (
      <Fields
        {...props}
        schema={field}
        config={(value ?? {}) as Config}
        faults={faults.event === undefined ? {} : { kind: faults.event }}
        onChange={set}
      />
    );
  if (name === 'filters') return <FiltersField {...props} />;
  if (name === 'branches' && field.type === 'array')
    return <BranchesField branches={(value ?? []) as SplitBranch[]} fault={faults[name]} onChange={set} />;
  if (name === 'duration' || name === 'timeout')
    return (
      <SecondsField
        name={name}
        hint={hints[name]}
        fault={faults[name]}
        seconds={typeof value === 'number' ? value : undefined}
        onChange={set}
      />
    );
  if (name === 'amount' && 'unit' in config)
    return (
      <SpanField
        label={fieldLabel(name)}
        fault={faults.amount ?? faults.unit}
        amount={typeof value === 'number' ? value : undefined}
        unit={config.unit as Unit}
        onChange={(amount, unit) => onChange({ ...withField(config, 'amount', amount), unit })}
      />
    );
  if (name === 'weekdays') return <WeekdaysField days={(value ?? []) as number[]} onChange={set} />;
  return <SimpleField {...props} />;
}

function FiltersField({ name, config, faults, isRequired, onChange }: FieldProps) {
  const filters = Array.isArray(config[name]) ? (config[name] as Filter[]) : [];
  const fault = faults[name];
  return (
    <section aria-label={fieldLabel(name)} className="min-w-0">
      <h3 className="mb-1.5 text-sm font-medium">{fieldLabel(name)}</h3>
      <FilterBuilder
        filters={filters}
        onChange={(next) => onChange(withField(config, name, next.length === 0 && !isRequired ? undefined : next))}
      />
      {filters.length === 0 && !isRequired && <p className="text-sm text-soft">{stepText('hint.filters')}</p>}
      {fault !== undefined && (
        <p className="mt-1.5 flex gap-1.5 text-sm text-bad">
          <Icon name="warning" className="mt-0.5 shrink-0" />
          {fault}
        </p>
      )}
    </section>
  );
}

/** A Monday and the days after it: 1 to 7. */
export const week = [23, 24, 25, 26, 27, 28, 29].map((day) => `2026-11-${day}`);

/** Days of the week, from 1 for Monday; undefined, or none of them, means all. */
export function WeekdaysField({ days, onChange }: { days: readonly number[]; onChange: (days?: number[]) => void }) {
  return (
    <fieldset className="min-w-0">
      <legend className="pb-1 text-sm font-medium">{fieldLabel('weekdays')}</legend>
      <div className="flex flex-wrap gap-x-4">
        {week.map((day, place) => (
          <Check
            key={day}
            label={weekday(day)}
            checked={days.length === 0 || days.includes(place + 1)}
            onChange={({ target }) => {
              const all = days.length === 0 ? week.map((_day, index) => index + 1) : days;
              const next = target.checked ? [...all, place + 1].sort() : all.filter((one) => one !== place + 1);
              onChange(next.length === week.length ? undefined : next);
            }}
          />
        ))}
      </div>
    </fieldset>
  );
}

/** A field of one value: a record, a step, a word of a list, a number, yes or no, a text, else JSON. */
function SimpleField(props: FieldProps) {
  const { name, field, config, faults, isRequired, targets, onChange } = props;
  const value = config[name];
  const set = (next: unknown) => onChange(withField(config, name, next));
  const noun = nounOf[name];
  const isAnyTag = name === 'tags' && !isRequired && (!Array.isArray(value) || value.length === 0);
  if (field.type === 'boolean')
    return <Check label={fieldLabel(name)} checked={value === true} onChange={({ target }) => set(target.checked)} />;
  const main = (
    <Field
      label={fieldLabel(name)}
      hint={hints[name]}
      fault={faults[name]}
      {...(!isRequired && noun === undefined && { optional: commonText('optional') })}
    >
      {(control) => {
        if (noun !== undefined)
          return (
            <RecordPicker
              control={control}
              noun={noun}
              multiple={field.type === 'array'}
              ids={
                Array.isArray(value) ? (value as string[]) : typeof value === 'string' && value !== '' ? [value] : []
              }
              onChange={(ids) => set(field.type === 'array' && (ids.length > 0 || isRequired) ? ids : ids[0])}
            />
          );
        const choices =
          name === 'stepId' && isRequired
            ? targets.map(({ id, title }) => ({ value: id, label: title }))
            : field.enum?.map((one) => ({ value: String(one), label: kindWord(one) }));
        if (choices)
          return (
            <Choice
              {...control}
              value={String(value ?? '')}
              options={[{ value: '', label: stepText('none') }, ...choices]}
              onChange={({ target }) => set(target.value || (isRequired ? '' : undefined))}
            />
          );
        if (field.type === 'object' || field.type === 'array')
          return <JsonInput control={control} value={value} onChange={set} />;
        const isNumber = field.type === 'number' || field.type === 'integer';
        return (
          <TextInput
            {...control}
            dir="auto"
            type={isNumber ? 'number' : /^time/i.test(name) && name !== 'timezone' ? 'time' : 'text'}
            value={typeof value === 'string' || typeof value === 'number' ? value : ''}
            onChange={({ target }) =>
              set(target.value === '' ? undefined : isNumber ? Number(target.value) : target.value)
            }
          />
        );
      }}
    </Field>
  );
  if (!isAnyTag) return main;
  return (
    <>
      {main}
      <Callout tone="warn">{stepText('anyTag')}</Callout>
    </>
  );
}

/** JSON that takes effect once it is whole. */
function JsonInput({
  control,
  value,
  onChange,
}: {
  control: { id: string };
  value: unknown;
  onChange: (value: unknown) => void;
}) {
  const [text, setText] = useState(() => (value === undefined ? '' : JSON.stringify(value, null, 2)));
  const isWhole = parse(text) !== broken;
  return (
    <>
      <TextArea
        {...control}
        aria-invalid={isWhole ? undefined : true}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          const read = parse(target.value);
          if (read !== broken) onChange(read);
        }}
        className="font-mono text-sm!"
      />
      {!isWhole && <p className="text-sm text-bad">{commonText('form.notJson')}</p>}
    </>
  );
}

const broken = Symbol('broken');

function parse(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return broken;
  }
}
