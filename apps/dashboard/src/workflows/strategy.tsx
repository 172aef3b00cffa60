import type { ToolData } from '#client';
import { groupText } from '../messages/en/workflow-runs.js';

export type Group = ToolData<'list_workflow_groups'>['groups'][number];
export type Strategy = Group['conflictStrategy'];
export const strategies = ['CANCEL_EXISTING', 'SKIP_NEW', 'RUN_FIRST_STEP'] as const satisfies readonly Strategy[];

/** Two runs from left to right; the second begins where the line stands. How far each gets is the strategy. */
const lengths: Record<Strategy, { first: number; second: number }> = {
  CANCEL_EXISTING: { first: 34, second: 78 },
  SKIP_NEW: { first: 78, second: 0 },
  RUN_FIRST_STEP: { first: 78, second: 46 },
};
const entry = 34;

/** A strategy as a picture; its words stand beside it. */
function StrategyPicture({ strategy }: { strategy: Strategy }) {
  const { first, second } = lengths[strategy];
  return (
    <svg aria-hidden="true" width="88" height="40" viewBox="0 0 88 40" className="shrink-0 text-soft" fill="none">
      <path d={`M${entry} 3v34`} stroke="currentColor" strokeDasharray="2 3" />
      <path d={`M6 12H${first}`} stroke="currentColor" strokeWidth="3" strokeLinecap="round" />
      {first === entry ? (
        <path d={`M${entry - 4} 8l8 8M${entry + 4} 8l-8 8`} stroke="currentColor" strokeWidth="1.5" />
      ) : (
        <path d={`M${first - 4} 8l5 4-5 4`} stroke="currentColor" strokeWidth="1.5" />
      )}
      {second > 0 ? (
        <path
          d={`M${entry} 28H${second}`}
          stroke="currentColor"
          strokeWidth="3"
          strokeLinecap="round"
          className="text-accent"
        />
      ) : (
        <circle cx={entry} cy="28" r="4" stroke="currentColor" strokeWidth="1.5" className="text-accent" />
      )}
    </svg>
  );
}

/** Chooses what happens to a subscriber who is in two workflows of a group. */
export function StrategyChoice({ value, onChange }: { value: Strategy; onChange: (value: Strategy) => void }) {
  return (
    <fieldset className="min-w-0">
      <legend className="pb-1 text-sm font-medium">{groupText('strategy')}</legend>
      {strategies.map((one) => (
        <label key={one} className="flex items-start gap-2 py-1.5">
          <input
            type="radio"
            name="strategy"
            checked={one === value}
            onChange={() => onChange(one)}
            className="mt-0.5 size-4 shrink-0 accent-accent"
          />
          <span className="min-w-0 flex-1">
            {groupText(`strategy.${one}`)}
            <span className="block text-sm text-soft">{groupText(`strategy.${one}.lead`)}</span>
          </span>
          <StrategyPicture strategy={one} />
        </label>
      ))}
    </fieldset>
  );
}
