import { date } from '../messages/format.js';
import { runText } from '../messages/en/workflow-runs.js';
import { Button } from '../ui/button.js';
import { waitingAt } from './flow-days.js';
import type { Flow } from './flow-days.js';

/** Chooses the day of which the steps show who waited; arrow keys go from day to day. */
export function FlowSlider({
  flow,
  place,
  onChange,
}: {
  flow: Flow;
  place: number;
  /** @param day undefined for the last one */
  onChange: (day: string | undefined) => void;
}) {
  const last = flow.buckets.length - 1;
  const day = flow.buckets[place];
  if (day === undefined) return null;
  const text = runText('slider.value', { date: date(day, 'UTC'), count: waitingAt(flow, place) });
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
      <label className="flex min-w-0 basis-full flex-wrap sm:flex-1 sm:basis-0 items-center gap-x-3 gap-y-1">
        <span className="text-sm text-soft">{runText('slider')}</span>
        <input
          type="range"
          min={0}
          max={last}
          value={place}
          title={runText('slider.hint')}
          aria-valuetext={text}
          onChange={({ target }) =>
            onChange(Number(target.value) === last ? undefined : flow.buckets[Number(target.value)])
          }
          className="h-6 min-w-40 flex-1 accent-accent"
        />
      </label>
      <output className="min-w-44 text-end text-sm tabular">{text}</output>
      <Button small disabled={place === last} onClick={() => onChange(undefined)}>
        {runText('now')}
      </Button>
    </div>
  );
}
