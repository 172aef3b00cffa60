import { useState } from 'react';
import type { FormEvent } from 'react';
import { notify } from '../data/notices.js';
import { issuesByField } from '../data/refusal.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { commonText } from '../messages/en/common.js';
import { personText } from '../messages/en/subscriber.js';
import { subscriberText } from '../messages/en/subscribers.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { useGo } from '../parts/screen-link.js';
import { TagPicker } from '../parts/tag-picker.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Check, Field, TextInput } from '../ui/field.js';

const formId = 'add-subscriber';

/** Adds one person by hand. One who had unsubscribed stays unsubscribed. */
export function AddDialog({ onClose }: { onClose: () => void }) {
  const go = useGo();
  const add = useAction(actions.add_subscriber());
  const [values, setValues] = useState({ email: '', name: '', tags: [] as string[], skip: false });
  const { byField } = issuesByField(add.error, ['email', 'name', 'tags']);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const { email, name, tags, skip } = values;
    try {
      const { subscriber, created, warnings } = await add.run({
        email: email.trim(),
        ...(name.trim() !== '' && { name: name.trim() }),
        tags,
        resubscribe: false,
        skipDoubleOptIn: skip,
      });
      onClose();
      const text = subscriberText(created ? 'add.created' : 'add.updated', { email: subscriber.email });
      notify({ kind: 'done', text: [text, ...(warnings ?? [])].join(' ') });
      go({ screen: 'subscriber', params: { subscriberId: subscriber.id } });
    } catch {
      // The refusal is shown in the form.
    }
  };
  return (
    <Dialog
      title={subscriberText('add.title')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{commonText('cancel')}</Button>
          <Button type="submit" form={formId} look="primary" busy={add.isPending}>
            {subscriberText('add.button')}
          </Button>
        </>
      }
    >
      <form id={formId} className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        {add.error && Object.keys(byField).length === 0 && <ErrorNotice error={add.error} />}
        <Field label={personText('email')} fault={byField.email}>
          {(control) => (
            <TextInput
              {...control}
              type="email"
              required
              data-autofocus=""
              autoComplete="off"
              value={values.email}
              onChange={({ target }) => setValues({ ...values, email: target.value })}
            />
          )}
        </Field>
        <Field label={personText('name')} optional={commonText('optional')} fault={byField.name}>
          {(control) => (
            <TextInput
              {...control}
              autoComplete="off"
              value={values.name}
              onChange={({ target }) => setValues({ ...values, name: target.value })}
            />
          )}
        </Field>
        <Field label={personText('tags')} optional={commonText('optional')} fault={byField.tags}>
          {(control) => (
            <TagPicker control={control} names={values.tags} onChange={(tags) => setValues({ ...values, tags })} />
          )}
        </Field>
        <Check
          label={subscriberText('add.skip')}
          hint={subscriberText('add.skipHint')}
          checked={values.skip}
          onChange={({ target }) => setValues({ ...values, skip: target.checked })}
        />
      </form>
    </Dialog>
  );
}
