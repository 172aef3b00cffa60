import { importText } from '../messages/en/imports.js';
import { number } from '../messages/format.js';
import { Bar } from '../ui/bar.js';
import { ImportCounts } from './import-counts.js';
import type { Import } from './mapping.js';

/** A check or a run while it goes on; live updates move it. */
export function ImportProgress({ one }: { one: Import }) {
  const isRun = one.state === 'RUNNING';
  const title = importText(isRun ? 'running.title' : 'checking.title');
  const { done, rows, ratePerSecond } = one;
  const text =
    rows !== null && done > 0
      ? importText('progress.rows', { done, rows })
      : done > 0
        ? importText('progress.some', { count: done })
        : importText('progress.reading');
  return (
    <section aria-label={title} className="flex flex-col gap-2">
      <h2 className="text-base font-semibold">{title}</h2>
      <p className="flex flex-wrap justify-between gap-x-4 tabular">
        <span>{text}</span>
        {ratePerSecond !== null && (
          <span className="text-soft">{importText('progress.rate', { count: number(ratePerSecond) })}</span>
        )}
      </p>
      <Bar share={rows === null || rows === 0 ? 0 : done / rows} label={title} />
      <p className="text-sm text-soft">{importText(isRun ? 'running.lead' : 'checking.lead')}</p>
      {isRun && <ImportCounts counts={{ new: one.imported, ...one, refused: one.failed }} />}
    </section>
  );
}
