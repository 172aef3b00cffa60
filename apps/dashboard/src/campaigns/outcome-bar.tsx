import { campaignText } from '../messages/en/campaigns.js';
import { number } from '../messages/format.js';
import { classNames } from '../ui/class-names.js';
import { outcomeColours } from './outcomes.js';
import type { Outcome } from './outcomes.js';

/** One bar of all recipients, and below it each outcome as a button that opens its people. */
export function OutcomeBar({
  parts,
  total,
  chosen,
  onChoose,
}: {
  parts: readonly { outcome: Outcome; count: number }[];
  total: number;
  chosen: Outcome | undefined;
  onChoose: (outcome: Outcome | undefined) => void;
}) {
  const spoken = parts.map(({ outcome, count }) => `${number(count)} ${campaignText(`outcome.${outcome}`)}`).join(', ');
  return (
    <div>
      <div
        role="img"
        aria-label={campaignText('outcome.bar', { total, parts: spoken })}
        className="flex h-3 gap-px overflow-hidden rounded-full bg-sunk"
      >
        {parts.map(({ outcome, count }) => (
          <span key={outcome} className={outcomeColours[outcome]} style={{ flexGrow: count, minWidth: 3 }} />
        ))}
      </div>
      <div className="mt-3 flex flex-wrap gap-2">
        {parts.map(({ outcome, count }) => (
          <button
            key={outcome}
            type="button"
            aria-pressed={outcome === chosen}
            onClick={() => onChoose(outcome === chosen ? undefined : outcome)}
            className={classNames(
              'min-w-28 rounded-lg border px-3 py-2 text-start transition-colors',
              outcome === chosen ? 'border-accent bg-accent-soft' : 'border-line hover:bg-ground',
            )}
          >
            <span className="flex items-center gap-1.5 text-sm text-soft">
              <span aria-hidden="true" className={classNames('size-2 rounded-full', outcomeColours[outcome])} />
              {campaignText(`outcome.${outcome}`)}
            </span>
            <span className="text-lg font-semibold tabular">{number(count)}</span>
          </button>
        ))}
      </div>
    </div>
  );
}
