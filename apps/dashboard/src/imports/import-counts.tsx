import { importText } from '../messages/en/imports.js';
import { number } from '../messages/format.js';

const kinds = ['new', 'updated', 'unchanged', 'refused'] as const;

/** What an import does, or has done, in four numbers. */
export function ImportCounts({ counts }: { counts: Record<(typeof kinds)[number], number> }) {
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-4">
      {kinds.map((kind) => (
        <div key={kind} className="bg-paper px-4 py-3">
          <dt className="text-sm text-soft">{importText(`check.${kind}`)}</dt>
          <dd className="text-xl font-semibold tracking-tight tabular">{number(counts[kind])}</dd>
        </div>
      ))}
    </dl>
  );
}
