import { importText } from '../messages/en/imports.js';
import { classNames } from '../ui/class-names.js';
import { Icon } from '../ui/icon.js';
import type { Import } from './mapping.js';

const steps = ['file', 'columns', 'check', 'import'] as const;

function placeOf(state: Import['state'], step: 'columns' | 'check' | undefined): number {
  if (state === 'NEW' || state === 'UPLOADING') return 0;
  if (state === 'UPLOADED' || (state === 'CHECKED' && step === 'columns')) return 1;
  return state === 'CHECKING' || state === 'CHECKED' ? 2 : 3;
}

/** Where an import is on its way. */
export function ImportSteps({ state, step }: { state: Import['state']; step: 'columns' | 'check' | undefined }) {
  const at = placeOf(state, step);
  return (
    <ol aria-label={importText('steps')} className="flex flex-wrap gap-x-5 gap-y-1 border-b border-line pb-3 text-sm">
      {steps.map((name, place) => (
        <li
          key={name}
          aria-current={place === at ? 'step' : undefined}
          className={classNames('flex items-center gap-1.5', place === at ? 'font-medium' : 'text-soft')}
        >
          {place < at || state === 'DONE' ? (
            <Icon name="check" size={14} className="text-good" />
          ) : (
            <span className="grid size-4 place-items-center rounded-full bg-sunk text-xs tabular">{place + 1}</span>
          )}
          {importText(`step.${name}`)}
        </li>
      ))}
    </ol>
  );
}
