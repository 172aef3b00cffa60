import { settingsText } from '../messages/en/workflow-runs.js';
import { useSentence } from '../parts/filter/use-sentence.js';
import type { Filter } from '../parts/filter/filter.js';
import { Section } from '../ui/section.js';
import { stepWords } from './step-words.js';
import type { Workflow } from './workflow-status.js';

/** The goals of a workflow with their conversions, and the rules that end a run early. */
export function GoalList({ workflow: { successGoals, settings, stats } }: { workflow: Workflow }) {
  const sentence = useSentence();
  const words = (config: object): string =>
    stepWords(
      { id: '', type: 'GOAL', config: config as Record<string, unknown> },
      { sentence: (filters: readonly Filter[]) => sentence(filters), step: () => undefined },
    );
  const exits = Array.isArray(settings.exitRules) ? (settings.exitRules as object[]) : [];
  return (
    <>
      <Section title={settingsText('goals')} lead={settingsText('goals.lead')}>
        {successGoals.length === 0 ? (
          <p className="text-soft">{settingsText('goals.none')}</p>
        ) : (
          <ul className="flex flex-col gap-1">
            {successGoals.map((goal, place) => (
              <li key={goal.id ?? place} className="flex flex-wrap justify-between gap-x-4">
                <span className="min-w-0 wrap-anywhere" dir="auto">
                  <span className="font-medium">{goal.name ?? goal.id}</span>{' '}
                  <span className="text-soft">{words(goal)}</span>
                </span>
                <span className="tabular">
                  {settingsText('goalCount', {
                    count: stats.goals.find(({ id }) => id === goal.id)?.conversions ?? 0,
                  })}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Section>
      <Section title={settingsText('exits')} lead={settingsText('exits.lead')}>
        {exits.length === 0 ? (
          <p className="text-soft">{settingsText('exits.none')}</p>
        ) : (
          <ul className="list-disc ps-5">
            {exits.map((rule, place) => (
              <li key={place} className="wrap-anywhere">
                {words(rule)}
              </li>
            ))}
          </ul>
        )}
      </Section>
    </>
  );
}
