import { useState } from 'react';
import type { ConfirmationQuestion } from '#client';
import type { ConfirmOptions } from '../data/prompts.js';
import { commonText } from '../messages/en/common.js';
import { apiLang } from '../messages/text.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Field, TextInput } from '../ui/field.js';

/** Shows what the API says a call would do, and returns the person's decision. */
export function ConfirmDialog({
  question,
  options,
  answer,
}: {
  question: ConfirmationQuestion;
  options: ConfirmOptions;
  answer: (yes: boolean) => void;
}) {
  const [typed, setTyped] = useState('');
  const isTyped = options.typed === undefined || typed === options.typed;
  return (
    <Dialog
      title={options.button ?? titleOf(question.action)}
      onClose={() => answer(false)}
      footer={
        <>
          <Button onClick={() => answer(false)}>{commonText('confirm.cancel')}</Button>
          <Button
            look={/delete|discard|remove|stop|revoke/i.test(question.action) ? 'danger' : 'primary'}
            disabled={!isTyped}
            data-autofocus={options.typed === undefined ? '' : undefined}
            onClick={() => answer(true)}
          >
            {options.button ?? titleOf(question.action)}
          </Button>
        </>
      }
    >
      <p lang={apiLang()} className="text-pretty wrap-anywhere">
        {question.message}
      </p>
      {options.typed !== undefined && (
        <div className="mt-4">
          <Field label={commonText('confirm.typed', { text: options.typed })}>
            {(control) => (
              <TextInput
                {...control}
                data-autofocus=""
                autoComplete="off"
                value={typed}
                onChange={({ target }) => setTyped(target.value)}
                onKeyDown={({ key }) => key === 'Enter' && isTyped && answer(true)}
              />
            )}
          </Field>
        </div>
      )}
    </Dialog>
  );
}

/** The name of a tool as words, such as "delete_tag" → "Delete tag". */
function titleOf(action: string): string {
  const words = action.replaceAll('_', ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
