import { useQuery } from '@tanstack/react-query';
import { queries } from '../data/tools.calls.js';
import { campaignText } from '../messages/en/campaigns.js';
import { Choice, Field, TextInput } from '../ui/field.js';
import { isAddressOrEmpty } from './draft.js';
import type { Draft } from './draft.js';

interface Props {
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
}

/** Name, subject, preview text, sender, reply address. */
export function WriteFields({ draft, onChange }: Props) {
  return (
    <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
      <div className="sm:col-span-2">
        <Field
          label={campaignText('subject')}
          fault={draft.subject.trim() === '' ? campaignText('subject.needed') : undefined}
        >
          {(control) => (
            <TextInput
              {...control}
              maxLength={998}
              value={draft.subject}
              onChange={({ target }) => onChange({ subject: target.value })}
            />
          )}
        </Field>
      </div>
      <Field label={campaignText('previewText')}>
        {(control) => (
          <TextInput
            {...control}
            maxLength={998}
            placeholder={campaignText('previewText.hint')}
            value={draft.preview}
            onChange={({ target }) => onChange({ preview: target.value })}
          />
        )}
      </Field>
      <Field label={campaignText('name')} fault={draft.name.trim() === '' ? campaignText('name.needed') : undefined}>
        {(control) => (
          <TextInput
            {...control}
            maxLength={255}
            value={draft.name}
            onChange={({ target }) => onChange({ name: target.value })}
          />
        )}
      </Field>
      <SenderField draft={draft} onChange={onChange} />
      <Field
        label={campaignText('replyTo')}
        fault={isAddressOrEmpty(draft.replyTo) ? undefined : campaignText('reply.invalid')}
      >
        {(control) => (
          <TextInput
            {...control}
            type="email"
            placeholder={campaignText('replyTo.hint')}
            value={draft.replyTo}
            onChange={({ target }) => onChange({ replyTo: target.value })}
          />
        )}
      </Field>
    </div>
  );
}

function SenderField({ draft, onChange }: Props) {
  const { data } = useQuery(queries.get_email_senders({}));
  const options = (data?.senders ?? []).map(({ id, displayName, email }) => ({
    value: id,
    label: `${displayName} <${email}>`,
  }));
  const isKnown = options.some(({ value }) => value === draft.senderId);
  return (
    <Field label={campaignText('sender')}>
      {(control) => (
        <Choice
          {...control}
          value={isKnown ? draft.senderId! : ''}
          options={isKnown ? options : [{ value: '', label: campaignText('sender.none') }, ...options]}
          onChange={({ target }) => target.value !== '' && onChange({ senderId: target.value })}
        />
      )}
    </Field>
  );
}
