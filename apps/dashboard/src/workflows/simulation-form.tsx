import { useState } from 'react';
import type { FormEvent } from 'react';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { simulationText } from '../messages/en/workflow-simulation.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Button } from '../ui/button.js';
import { Choice, Field, TextInput } from '../ui/field.js';
import { inputOf, periods } from './simulation.js';
import type { Period, SimulationChoice } from './simulation.js';
import type { Workflow } from './workflow-status.js';

const dayMs = 86_400_000;
/** A day of the browser's time zone as YYYY-MM-DD. */
const dayText = (at: number): string => {
  const day = new Date(at);
  return new Date(at - day.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
};

/** Chooses what is simulated, and starts it. */
export function SimulationForm({
  workflow,
  isRunning,
  isFirst,
  onStarted,
}: {
  workflow: Workflow;
  isRunning: boolean;
  isFirst: boolean;
  onStarted: () => void;
}) {
  const [today] = useState(() => dayText(Date.now()));
  const [choice, setChoice] = useState<SimulationChoice>(() => ({
    version: '',
    period: '31',
    from: dayText(Date.now() - 30 * dayMs),
    to: today,
  }));
  const { run, isPending, error } = useAction(actions.simulate_workflow());
  const change = (part: Partial<SimulationChoice>) => setChoice({ ...choice, ...part });
  const start = (event: FormEvent) => {
    event.preventDefault();
    // The refusal is shown below the form.
    run(inputOf(workflow.id, choice, Date.now())).then(onStarted, () => undefined);
  };
  const latest = workflow.published?.version ?? 0;
  const versions = Array.from({ length: Math.min(latest, 50) }, (_, place) => latest - place);
  return (
    <form onSubmit={start} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <div className="w-44">
          <Field label={simulationText('what')}>
            {(control) => (
              <Choice
                {...control}
                value={choice.version}
                options={[
                  { value: '', label: simulationText('what.draft') },
                  ...versions.map((version) => ({
                    value: String(version),
                    label: simulationText('what.version', { version }),
                  })),
                ]}
                onChange={({ target }) => change({ version: target.value })}
              />
            )}
          </Field>
        </div>
        <div className="w-48">
          <Field label={simulationText('period')}>
            {(control) => (
              <Choice
                {...control}
                value={choice.period}
                options={periods.map((value) => ({ value, label: simulationText(`period.${value}`) }))}
                onChange={({ target }) => change({ period: target.value as Period })}
              />
            )}
          </Field>
        </div>
        {choice.period === 'days' &&
          (['from', 'to'] as const).map((side) => (
            <div key={side} className="w-40">
              <Field label={simulationText(side)}>
                {(control) => (
                  <TextInput
                    {...control}
                    type="date"
                    required
                    max={today}
                    value={choice[side]}
                    onChange={({ target }) => change({ [side]: target.value })}
                  />
                )}
              </Field>
            </div>
          ))}
        <Button type="submit" look="primary" busy={isPending} disabled={isRunning}>
          {simulationText(isFirst ? 'start' : 'again')}
        </Button>
      </div>
      {error && <ErrorNotice error={error} />}
    </form>
  );
}
