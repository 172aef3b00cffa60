import { campaignText } from '../messages/en/campaigns.js';
import { mailText } from '../messages/en/mail.js';
import { MailHead } from '../parts/mail/mail-head.js';
import { Field, TextInput } from '../ui/field.js';
import { isAddressOrEmpty } from './draft.js';
import type { Draft } from './draft.js';

/** Name, subject, preview text, sender, reply address. */
export function WriteFields({ draft, onChange }: { draft: Draft; onChange: (part: Partial<Draft>) => void }) {
  const faults = {
    subject: draft.subject.trim() === '' ? mailText('subject.needed') : undefined,
    replyTo: isAddressOrEmpty(draft.replyTo) ? undefined : mailText('reply.invalid'),
  };
  return (
    <MailHead head={draft} faults={faults} onChange={onChange}>
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
    </MailHead>
  );
}
