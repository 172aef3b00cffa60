import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { issuesByField } from '../data/refusal.js';
import { actions, queries } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { senderText } from '../messages/en/senders.js';
import { FormDialog } from '../parts/form-dialog.js';
import { Choice, Field, TextInput } from '../ui/field.js';

const fields = ['displayName', 'localPart', 'domainId', 'replyTo'];

/** Adds an address on a verified domain. */
export function CreateSender({ onClose }: { onClose: () => void }) {
  const create = useAction(actions.create_email_sender());
  const { data } = useQuery(queries.list_domains({}));
  const verified = (data?.domains ?? []).filter(({ status }) => status === 'VERIFIED');
  const [values, setValues] = useState({ displayName: '', localPart: '', domainId: '', replyTo: '' });
  const domainId = values.domainId || (verified.find(({ sandbox }) => !sandbox) ?? verified[0])?.id || '';
  const { byField } = issuesByField(create.error, fields);
  const submit = async () => {
    const { displayName, localPart, replyTo } = values;
    await create.run({ displayName, localPart, domainId, ...(replyTo.trim() !== '' && { replyTo: replyTo.trim() }) });
    onClose();
  };
  return (
    <FormDialog
      title={senderText('add.title')}
      button={senderText('add.button')}
      busy={create.isPending}
      disabled={values.displayName.trim() === '' || values.localPart.trim() === '' || domainId === ''}
      error={Object.keys(byField).length === 0 ? create.error : null}
      onSubmit={submit}
      onClose={onClose}
    >
      {(['displayName', 'localPart'] as const).map((key) => (
        <Field key={key} label={senderText(key)} fault={byField[key]}>
          {(control) => (
            <TextInput
              {...control}
              autoComplete="off"
              data-autofocus={key === 'displayName' ? '' : undefined}
              value={values[key]}
              onChange={({ target }) => setValues({ ...values, [key]: target.value })}
            />
          )}
        </Field>
      ))}
      <Field label={senderText('domain')} fault={byField.domainId}>
        {(control) => (
          <Choice
            {...control}
            value={domainId}
            onChange={({ target }) => setValues({ ...values, domainId: target.value })}
            options={verified.map(({ id, domain }) => ({ value: id, label: domain }))}
          />
        )}
      </Field>
      <Field label={senderText('replyTo')} hint={senderText('replyToHint')} fault={byField.replyTo}>
        {(control) => (
          <TextInput
            {...control}
            type="email"
            value={values.replyTo}
            onChange={({ target }) => setValues({ ...values, replyTo: target.value })}
          />
        )}
      </Field>
    </FormDialog>
  );
}
