import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { queries } from '../../data/tools.calls.js';
import { mailText } from '../../messages/en/mail.js';
import { Choice, Field, TextInput } from '../../ui/field.js';

/** The fields of a mail beside its body. */
export interface MailHeadFields {
  subject: string;
  preview: string;
  senderId: string | null;
  replyTo: string;
}

interface Props {
  head: MailHeadFields;
  /** What is wrong, by field. */
  faults: Partial<Record<keyof MailHeadFields, string | undefined>>;
  /** The choice of no sender; without it, a sender that is chosen cannot be taken away. */
  defaultSender?: string;
  /** A further field. */
  children?: ReactNode;
  onChange: (part: Partial<MailHeadFields>) => void;
}

/** Subject, preview text, sender and reply address. */
export function MailHead({ head, faults, defaultSender, children, onChange }: Props) {
  return (
    <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
      <div className="sm:col-span-2">
        <Field label={mailText('subject')} fault={faults.subject}>
          {(control) => (
            <TextInput
              {...control}
              dir="auto"
              maxLength={998}
              value={head.subject}
              onChange={({ target }) => onChange({ subject: target.value })}
            />
          )}
        </Field>
      </div>
      <Field label={mailText('previewText')} fault={faults.preview}>
        {(control) => (
          <TextInput
            {...control}
            dir="auto"
            maxLength={998}
            placeholder={mailText('previewText.hint')}
            value={head.preview}
            onChange={({ target }) => onChange({ preview: target.value })}
          />
        )}
      </Field>
      {children}
      <SenderField
        senderId={head.senderId}
        fault={faults.senderId}
        {...(defaultSender !== undefined && { defaultSender })}
        onChange={(senderId) => onChange({ senderId })}
      />
      <Field label={mailText('replyTo')} fault={faults.replyTo}>
        {(control) => (
          <TextInput
            {...control}
            type="email"
            placeholder={mailText('replyTo.hint')}
            value={head.replyTo}
            onChange={({ target }) => onChange({ replyTo: target.value })}
          />
        )}
      </Field>
    </div>
  );
}

function SenderField({
  senderId,
  fault,
  defaultSender,
  onChange,
}: {
  senderId: string | null;
  fault: string | undefined;
  defaultSender?: string;
  onChange: (senderId: string | null) => void;
}) {
  const { data } = useQuery(queries.get_email_senders({}));
  const options = (data?.senders ?? []).map(({ id, displayName, email }) => ({
    value: id,
    label: `${displayName} <${email}>`,
  }));
  const isKnown = options.some(({ value }) => value === senderId);
  const none = { value: '', label: defaultSender ?? mailText('sender.none') };
  return (
    <Field label={mailText('sender')} fault={fault}>
      {(control) => (
        <Choice
          {...control}
          value={isKnown ? senderId! : ''}
          options={isKnown && defaultSender === undefined ? options : [none, ...options]}
          onChange={({ target }) => {
            if (target.value !== '') onChange(target.value);
            else if (defaultSender !== undefined) onChange(null);
          }}
        />
      )}
    </Field>
  );
}
