import { useRef } from 'react';
import { notify } from '../data/notices.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { importText } from '../messages/en/imports.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { useLetter } from '../parts/use-letter.js';
import { Button } from '../ui/button.js';
import { Kbd } from '../ui/states.js';
import { refusedRows } from './mapping.js';
import type { Import, ImportCheck } from './mapping.js';
import type { ChosenOptions } from './options.js';

/** Starts what was checked: the text, the number and the button are the confirmation. */
export function ConfirmImport({ one, check }: { one: Import; check: ImportCheck }) {
  const start = useAction(actions.start_subscriber_import({ isShown: true }));
  const ref = useRef<HTMLButtonElement>(null);
  const count = check.new + check.updated;
  // Enter is the button's own.
  useLetter('a', () => ref.current?.focus());
  const run = async () => {
    // Named in full, so that it does what this page shows, whatever was checked elsewhere meanwhile.
    await start.run({ importId: one.id, mapping: check.mapping, options: check.options as ChosenOptions });
    notify({ kind: 'done', text: importText('confirm.started') });
  };
  return (
    <section className="sticky bottom-0 -mx-1 flex flex-col gap-3 border-t border-line bg-paper px-1 py-3">
      {start.error && <ErrorNotice error={start.error} />}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <p className="min-w-0 flex-1 basis-64 text-pretty">
          {count === 0 ? importText('check.nothing') : words(check)}
        </p>
        <Button
          ref={ref}
          look="primary"
          busy={start.isPending}
          disabled={count === 0}
          title={importText('confirm.key')}
          onClick={() => void run().catch(() => undefined)}
        >
          {importText('confirm.button', { count })}
          <span aria-hidden="true" className="max-sm:hidden">
            <Kbd>{'a'}</Kbd>
          </span>
        </Button>
      </div>
    </section>
  );
}

function words(check: ImportCheck): string {
  const { new: created, updated, options } = check;
  const refused = refusedRows(check);
  return [
    importText('confirm.text', {
      created: importText('confirm.new', { count: created }),
      updated: importText('confirm.updated', { count: updated }),
    }),
    ...(refused > 0 ? [importText('confirm.refused', { count: refused })] : []),
    ...(options.tags.length > 0 ? [importText('confirm.tags', { tags: options.tags.join(', ') })] : []),
    ...(options.resubscribe ? [importText('confirm.resubscribe')] : []),
    ...(options.triggerWorkflows ? [importText('confirm.workflows')] : []),
  ].join(' ');
}
