import { issuesByField } from '../data/refusal.js';
import { commonText } from '../messages/en/common.js';
import { snippetText } from '../messages/en/snippets.js';
import { Field, TextInput } from '../ui/field.js';
import type { Snippet, SnippetDraft } from './snippet.js';

/** Name and description of a snippet. */
export function SnippetFields({
  draft,
  known,
  error,
  readOnly,
  onChange,
}: {
  draft: SnippetDraft;
  known: Snippet | undefined;
  error: unknown;
  readOnly: boolean;
  onChange: (part: Partial<SnippetDraft>) => void;
}) {
  const { byField } = issuesByField(error, ['name', 'description']);
  return (
    <>
      <Field
        label={snippetText('name')}
        hint={known && snippetText('nameHint', { variable: known.variable })}
        fault={byField.name}
      >
        {(control) => (
          <TextInput
            {...control}
            required
            maxLength={255}
            disabled={readOnly}
            placeholder={snippetText('namePlaceholder')}
            value={draft.name}
            onChange={({ target }) => onChange({ name: target.value })}
          />
        )}
      </Field>
      <Field label={snippetText('description')} optional={commonText('optional')} fault={byField.description}>
        {(control) => (
          <TextInput
            {...control}
            maxLength={1000}
            disabled={readOnly}
            value={draft.description}
            onChange={({ target }) => onChange({ description: target.value })}
          />
        )}
      </Field>
    </>
  );
}
