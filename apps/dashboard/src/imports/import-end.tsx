import { importText } from '../messages/en/imports.js';
import { ScreenLink } from '../parts/screen-link.js';
import { buttonClass } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { Callout } from '../ui/states.js';
import { ImportCounts } from './import-counts.js';
import { refusedRows } from './mapping.js';
import type { Import } from './mapping.js';
import { RefusedGroups } from './row-groups.js';

const titles = { DONE: 'done.title', FAILED: 'failed.title', CANCELED: 'canceled.title' } as const;

/** What an import has done, and the file of the rows that it refused. */
export function ImportEnd({ one }: { one: Import }) {
  const { state, failure, errorsUrl, imported, failed, check } = one;
  // A run by another mapping than that of the check refuses other rows.
  const isAsChecked = check !== null && failed > 0 && refusedRows(check) === failed;
  return (
    <section className="flex flex-col gap-4">
      <h2 className="text-base font-semibold">{importText(titles[state as keyof typeof titles])}</h2>
      {failure !== null && <Callout tone="bad">{failure}</Callout>}
      {(state !== 'CANCELED' || one.done > 0) && <ImportCounts counts={{ ...one, new: imported, refused: failed }} />}
      {errorsUrl !== undefined && (
        <div className="flex flex-wrap items-center gap-3">
          <a href={errorsUrl} download className={buttonClass()}>
            <Icon name="download" />
            {importText('done.report')}
          </a>
          <p className="min-w-0 flex-1 basis-56 text-sm text-soft">{importText('done.reportLead')}</p>
        </div>
      )}
      {isAsChecked && (
        <div className="flex flex-col gap-2">
          <RefusedGroups check={check} />
        </div>
      )}
      <p className="flex flex-wrap gap-2">
        <ScreenLink screen="subscribers" className={buttonClass('primary')}>
          {importText('done.subscribers')}
        </ScreenLink>
        <ScreenLink screen="subscriberImports" className={buttonClass()}>
          {importText('done.again')}
        </ScreenLink>
      </p>
    </section>
  );
}
