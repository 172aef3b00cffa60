import { useState } from 'react';
import type { FormEvent, ReactNode } from 'react';
import { issuesByField } from '../data/refusal.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Button } from '../ui/button.js';
import { Field, TextInput } from '../ui/field.js';

/** One field of a short form. */
export interface FormField {
  name: string;
  label: string;
  type?: 'text' | 'email' | 'password';
  hint?: string;
  autoComplete: string;
  value?: string;
}

/**
 * A short form of text fields around a private route of sessions: faults go to their fields, the focus to the first.
 * @param onSubmit gets the values by name; rejects with the refusal
 */
export function SessionForm({
  fields,
  button,
  onSubmit,
  children,
}: {
  fields: readonly FormField[];
  button: string;
  onSubmit: (values: Record<string, string>) => Promise<void>;
  children?: ReactNode;
}) {
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  const names = fields.map(({ name }) => name);
  const { byField } = issuesByField(state.error, names);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
    setState({ busy: true });
    try {
      await onSubmit(values);
      setState({ busy: false });
    } catch (error) {
      setState({ busy: false, error });
      const faulty = Object.keys(issuesByField(error, names).byField)[0] ?? names.at(-1);
      if (faulty !== undefined) (form.elements.namedItem(faulty) as HTMLInputElement | null)?.focus();
    }
  };
  return (
    <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
      {state.error !== undefined && Object.keys(byField).length === 0 && <ErrorNotice error={state.error} />}
      {fields.map(({ name, label, hint, value, ...input }) => (
        <Field key={name} label={label} hint={hint} fault={byField[name]}>
          {(control) => (
            <TextInput {...control} {...input} name={name} defaultValue={value} required className="h-9!" />
          )}
        </Field>
      ))}
      {children}
      <Button type="submit" look="primary" busy={state.busy} className="h-9! w-full">
        {button}
      </Button>
    </form>
  );
}
