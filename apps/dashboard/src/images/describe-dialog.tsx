import { useState } from 'react';
import { notify } from '../data/notices.js';
import { issuesByField } from '../data/refusal.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { commonText } from '../messages/en/common.js';
import { imageText } from '../messages/en/images.js';
import { FormDialog } from '../parts/form-dialog.js';
import type { HostedImage } from '../parts/images/hosted-image.js';
import { Field, TextArea, TextInput } from '../ui/field.js';

/** Changes the name of an image, and the words that stand for it. */
export function DescribeDialog({ image, onClose }: { image: HostedImage; onClose: () => void }) {
  const [name, setName] = useState(image.name);
  const [description, setDescription] = useState(image.description ?? '');
  const describe = useAction(actions.describe_image());
  const { byField } = issuesByField(describe.error, ['name', 'description']);
  const save = async () => {
    await describe.run({ imageId: image.id, name: name.trim(), description: description.trim() });
    notify({ kind: 'done', text: imageText('saved', { name: name.trim() }) });
    onClose();
  };
  return (
    <FormDialog
      title={imageText('edit.title')}
      button={commonText('save')}
      busy={describe.isPending}
      disabled={name.trim() === ''}
      error={Object.keys(byField).length === 0 ? describe.error : undefined}
      onSubmit={save}
      onClose={onClose}
    >
      <Field label={imageText('name')} fault={byField.name}>
        {(control) => (
          <TextInput {...control} maxLength={255} value={name} onChange={({ target }) => setName(target.value)} />
        )}
      </Field>
      <Field label={imageText('description')} hint={imageText('description.hint')} fault={byField.description}>
        {(control) => (
          <TextArea
            {...control}
            data-autofocus=""
            maxLength={2000}
            value={description}
            onChange={({ target }) => setDescription(target.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}
