import { useState } from 'react';
import type { FormEvent } from 'react';
import { issuesByField } from '../data/refusal.js';
import { commonText } from '../messages/en/common.js';
import { Button } from '../ui/button.js';
import { Check, Choice, Field, TextArea, TextInput } from '../ui/field.js';
import type { FieldControl } from '../ui/field.js';
import { ErrorNotice } from './error-notice.js';
import { RecordPicker } from './record-picker.js';
import type { PickedNoun } from './record-picker.js';
import { fieldValue, schemaFields } from './schema-fields.js';
import type { JsonSchema, SchemaField } from './schema-fields.js';

type Typed = Record<string, string | readonly string[] | boolean>;

/**
 * A form made from a JSON Schema: a control for each property by its type, pickers for ids, JSON for the rest. Issues of a
 * refusal go to their fields.
 * @param onSubmit gets the input as the tool takes it
 */
export function SchemaForm({
  schema,
  button,
  busy,
  error,
  onSubmit,
}: {
  schema: JsonSchema;
  button: string;
  busy: boolean;
  error: unknown;
  onSubmit: (input: Record<string, unknown>) => void;
}) {
  const fields = schemaFields(schema);
  const [typed, setTyped] = useState<Typed>({});
  const [faults, setFaults] = useState<Record<string, string>>({});
  const { byField } = issuesByField(
    error,
    fields.map(({ name }) => name),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const input: Record<string, unknown> = {};
    const found: Record<string, string> = {};
    for (const field of fields) {
      try {
        const value = fieldValue(field, typed[field.name]);
        if (value !== undefined) input[field.name] = value;
      } catch {
        found[field.name] = commonText('form.notJson');
      }
    }
    setFaults(found);
    if (Object.keys(found).length === 0) onSubmit(input);
  };
  return (
    <form className="flex flex-col gap-4" onSubmit={submit}>
      {error !== null && error !== undefined && Object.keys(byField).length === 0 && <ErrorNotice error={error} />}
      {fields.map((field) => (
        <SchemaControl
          key={field.name}
          field={field}
          value={typed[field.name]}
          fault={faults[field.name] ?? byField[field.name]}
          onChange={(value) => setTyped({ ...typed, [field.name]: value })}
        />
      ))}
      {fields.length === 0 && <p className="text-soft">{commonText('form.noFields')}</p>}
      <div>
        <Button type="submit" look="primary" busy={busy}>
          {button}
        </Button>
      </div>
    </form>
  );
}

interface ControlProps {
  field: SchemaField;
  value: Typed[string] | undefined;
  onChange: (value: Typed[string]) => void;
}

function SchemaControl({ fault, ...props }: ControlProps & { fault: string | undefined }) {
  const { name, kind, isRequired, description } = props.field;
  if (kind === 'flag')
    return (
      <Check
        label={name}
        {...(description !== undefined && { hint: description })}
        checked={props.value === true}
        onChange={({ target }) => props.onChange(target.checked)}
      />
    );
  return (
    <Field label={name} hint={description} fault={fault} {...(!isRequired && { optional: commonText('optional') })}>
      {(control) => <Input control={control} {...props} />}
    </Field>
  );
}

function Input({ control, field, value, onChange }: ControlProps & { control: FieldControl }) {
  const { kind, isRequired, choices = [], noun } = field;
  const text = typeof value === 'string' ? value : '';
  switch (kind) {
    case 'record':
    case 'records':
      return (
        <RecordPicker
          control={control}
          noun={noun as PickedNoun}
          ids={Array.isArray(value) ? (value as readonly string[]) : []}
          multiple={kind === 'records'}
          onChange={onChange}
        />
      );
    case 'choice':
      return (
        <Choice
          {...control}
          value={text}
          onChange={({ target }) => onChange(target.value)}
          options={[{ value: '', label: '–' }, ...choices.map((one) => ({ value: one, label: one }))]}
        />
      );
    case 'json':
      return (
        <TextArea
          {...control}
          required={isRequired}
          value={text}
          onChange={({ target }) => onChange(target.value)}
          className="font-mono text-sm!"
        />
      );
    default:
      return (
        <TextInput
          {...control}
          type={kind === 'number' ? 'number' : 'text'}
          step="any"
          required={isRequired}
          value={text}
          onChange={({ target }) => onChange(target.value)}
        />
      );
  }
}
