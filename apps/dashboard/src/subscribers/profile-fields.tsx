import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { actions, queries } from '../data/tools.calls.js';
import type { ToolInput } from '#client';
import { Refusal, textOf } from '../data/refusal.js';
import { useAction } from '../data/use-action.js';
import { dateTime } from '../messages/format.js';
import { commonText } from '../messages/en/common.js';
import { personText } from '../messages/en/subscriber.js';
import { mayAct } from '../parts/own-role.js';
import { Button } from '../ui/button.js';
import { Choice, Field, TextInput } from '../ui/field.js';
import type { Details } from './subscriber-details.js';

type Change = Partial<ToolInput<'update_subscriber'>>;

/** The data of one person; each value is edited in its place. */
export function ProfileFields({ details: { subscriber, country } }: { details: Details }) {
  const { email, name, phone, customFields, createdAt, updatedAt, id } = subscriber;
  const common = { subscriberId: id, updatedAt };
  const rows = [
    { label: personText('email'), value: email, toChange: (value: string): Change => ({ email: value }) },
    { label: personText('name'), value: name ?? '', toChange: (value: string): Change => ({ name: value || null }) },
    { label: personText('phone'), value: phone ?? '', toChange: (value: string): Change => ({ phone: value || null }) },
    { label: personText('country'), value: country ?? '', toChange: (value: string): Change => ({ country: value }) },
  ];
  const fields = Object.entries(customFields).map(([field, value]) => ({
    label: field,
    value,
    toChange: (next: string): Change => ({ fields: { [field]: next || null } }),
  }));
  return (
    <section aria-label={personText('profile')}>
      <h2 className="mb-1 font-semibold">{personText('profile')}</h2>
      <dl className="divide-y divide-line">
        {rows.map((row) => (
          <EditedValue key={row.label} {...row} {...common} />
        ))}
      </dl>
      <h3 className="mt-5 mb-1 font-semibold">{personText('fields')}</h3>
      <dl className="divide-y divide-line">
        {fields.map((row) => (
          <EditedValue key={row.label} {...row} {...common} />
        ))}
      </dl>
      {mayAct('editor') && <AddedField {...common} taken={Object.keys(customFields)} />}
      <p className="mt-4 text-sm text-soft">
        {`${personText('added')} ${dateTime(createdAt)}`}
        <br />
        {`${personText('changed')} ${dateTime(updatedAt)}`}
        <br />
        <span className="font-mono text-xs select-all wrap-anywhere">{id}</span>
      </p>
    </section>
  );
}

interface EditedProps {
  label: string;
  value: string;
  toChange: (value: string) => Change;
  subscriberId: string;
  updatedAt: string;
}

/** A value that a click turns into a field: Enter saves it, Esc restores it; the focus returns to the value. */
function EditedValue({ label, value, ...rest }: EditedProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !isOpen) button.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  const mayEdit = mayAct('editor');
  if (isOpen) return <ValueForm {...rest} label={label} value={value} onClose={() => setOpen(false)} />;
  const shown =
    value === '' ? <span className="text-soft">{personText('empty')}</span> : <span dir="auto">{value}</span>;
  return (
    <div className="flex items-baseline gap-3 py-1">
      <dt className="w-24 shrink-0 truncate text-sm text-soft" title={label}>
        {label}
      </dt>
      <dd className="min-w-0 flex-1 wrap-anywhere">
        {mayEdit ? (
          <button
            ref={button}
            type="button"
            title={personText('edit', { name: label })}
            onClick={() => setOpen(true)}
            className="-mx-1.5 min-h-7 w-full rounded-md px-1.5 text-start wrap-anywhere hover:bg-sunk"
          >
            {shown}
          </button>
        ) : (
          shown
        )}
      </dd>
    </div>
  );
}

function ValueForm({
  label,
  value,
  toChange,
  subscriberId,
  updatedAt,
  onClose,
}: EditedProps & { onClose: () => void }) {
  const [text, setText] = useState(value);
  // What was read when the form opened: a change of another person meanwhile is not overwritten unseen.
  const [read, setRead] = useState(updatedAt);
  const update = useAction(actions.update_subscriber());
  const isStale = update.error instanceof Refusal && update.error.reason === 'EXPECTED_UPDATED_AT_STALE';
  const save = async () => {
    if (text.trim() === value && !isStale) return onClose();
    try {
      await update.run({ subscriber: subscriberId, ...toChange(text.trim()) }, { ifMatch: isStale ? updatedAt : read });
      onClose();
    } catch {
      setRead(updatedAt);
    }
  };
  const fault = isStale ? personText('theirs', { value }) : update.error ? textOf(update.error) : undefined;
  return (
    <div className="py-2">
      <dt className="sr-only">{label}</dt>
      <dd>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (!update.isPending) void save();
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || event.nativeEvent.isComposing) return;
            event.stopPropagation();
            onClose();
          }}
        >
          <Field label={label} fault={fault}>
            {(control) => (
              <TextInput {...control} autoFocus value={text} onChange={({ target }) => setText(target.value)} />
            )}
          </Field>
          <div className="mt-2 flex gap-2">
            <Button small look="primary" type="submit" busy={update.isPending}>
              {commonText('save')}
            </Button>
            <Button small onClick={onClose}>
              {commonText('cancel')}
            </Button>
          </div>
        </form>
      </dd>
    </div>
  );
}

/** Gives the person a value of a field that they have none of. */
function AddedField({ subscriberId, updatedAt, taken }: { subscriberId: string; updatedAt: string; taken: string[] }) {
  const [field, setField] = useState('');
  const { data } = useQuery(queries.get_custom_fields({}));
  const free = (data?.customFields ?? []).filter(({ name }) => !taken.includes(name));
  if (free.length === 0) return null;
  if (field !== '')
    return (
      <dl>
        <ValueForm
          label={field}
          value=""
          toChange={(value) => ({ fields: { [field]: value } })}
          subscriberId={subscriberId}
          updatedAt={updatedAt}
          onClose={() => setField('')}
        />
      </dl>
    );
  return (
    <Choice
      aria-label={personText('addField')}
      className="mt-2"
      value=""
      onChange={({ target }) => setField(target.value)}
      options={[
        { value: '', label: personText('addField') },
        ...free.map(({ name }) => ({ value: name, label: name })),
      ]}
    />
  );
}
