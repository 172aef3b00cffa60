import { mailText } from '../../messages/en/mail.js';
import { classNames } from '../../ui/class-names.js';

export type Pane = 'edit' | 'preview';

/** On a phone, editor and preview take turns. */
export function PaneTabs({ pane, onChange }: { pane: Pane; onChange: (pane: Pane) => void }) {
  return (
    <div role="group" aria-label={mailText('mode')} className="mb-4 flex gap-1 rounded-md bg-sunk p-1">
      {(['edit', 'preview'] as const).map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === pane}
          onClick={() => onChange(one)}
          className={classNames(
            'h-7 flex-1 rounded-sm text-sm font-medium',
            one === pane ? 'bg-paper text-ink' : 'text-soft',
          )}
        >
          {mailText(`mode.${one}`)}
        </button>
      ))}
    </div>
  );
}
