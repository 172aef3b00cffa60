import { Field, TextInput } from '../ui/field.js';

/** The name of a record in a dialog; the focus starts here. */
export function NameField({
  label,
  hint,
  fault,
  value,
  onChange,
}: {
  label: string;
  hint?: string | undefined;
  fault?: string | undefined;
  value: string;
  onChange: (name: string) => void;
}) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(control) => (
        <TextInput
          {...control}
          data-autofocus=""
          autoComplete="off"
          maxLength={255}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}
