import { settingsText } from '../messages/en/workflow-runs.js';
import { commonText } from '../messages/en/common.js';
import { useSentence } from '../parts/filter/use-sentence.js';
import { Field, TextInput } from '../ui/field.js';
import { withField } from './config-fields.js';
import type { Config } from './config-fields.js';
import { isSame } from './draft.js';
import { RuleList } from './rule-list.js';
import { BeforeLine } from './settings-fields.js';
import type { PublishedSettings } from './settings-fields.js';
import { fieldLabel } from './step-labels.js';
import { conditionWords } from './step-words.js';
import type { SettingsEdit } from './use-settings.js';
import { newGoal, newRule } from './workflow-settings.js';
import type { Workflow } from './workflow-status.js';

interface Props {
  edit: SettingsEdit;
  published: PublishedSettings | null;
  isDisabled: boolean;
}

/** The rules that end a run early. */
export function ExitFields({ edit: { settings, change, faults }, published, isDisabled }: Props) {
  const words = useWords();
  const { exitRules } = settings;
  return (
    <RuleList
      title={settingsText('exits')}
      lead={settingsText('exits.lead')}
      addLabel={settingsText('exits.add')}
      rules={exitRules}
      faultsOf={(place) => faults('settings', 'exitRules', place)}
      nameOf={(rule) => words(rule)}
      isDisabled={isDisabled}
      newRule={newRule}
      before={
        published &&
        !isSame(published.settings.exitRules, exitRules) && (
          <BeforeLine version={published.version} value={listOf(published.settings.exitRules.map(words))} />
        )
      }
      onChange={(rules, about) => change({ exitRules: rules }, about)}
    />
  );
}

/** The goals of a workflow, each with the conversions of the published version. */
export function GoalFields({
  edit: { settings, change, faults },
  published,
  isDisabled,
  stats,
}: Props & { stats: Workflow['stats'] }) {
  const words = useWords();
  const { goals } = settings;
  const nameOf = (goal: Config): string =>
    typeof goal.name === 'string' && goal.name !== '' ? goal.name : words(goal);
  const conversionsOf = (goal: Config) => stats.goals.find(({ id }) => id === goal.id)?.conversions;
  return (
    <RuleList
      title={settingsText('goals')}
      lead={settingsText('goals.lead')}
      addLabel={settingsText('goals.add')}
      rules={goals}
      faultsOf={(place) => faults('successGoals', place)}
      nameOf={nameOf}
      isDisabled={isDisabled}
      newRule={() => newGoal(goals)}
      before={
        published &&
        !isSame(published.settings.goals, goals) && (
          <BeforeLine version={published.version} value={listOf(published.settings.goals.map(nameOf))} />
        )
      }
      above={(goal, own, set) => (
        <>
          {conversionsOf(goal) !== undefined && (
            <p className="text-sm text-soft tabular">{settingsText('goalCount', { count: conversionsOf(goal)! })}</p>
          )}
          <Field label={settingsText('goal.name')} fault={own.name} optional={commonText('optional')}>
            {(control) => (
              <TextInput
                {...control}
                dir="auto"
                maxLength={255}
                value={typeof goal.name === 'string' ? goal.name : ''}
                onChange={({ target }) => set(withField(goal, 'name', target.value || undefined))}
              />
            )}
          </Field>
          <Field
            label={fieldLabel('withinDays')}
            hint={settingsText('goal.within')}
            fault={own.withinDays}
            optional={commonText('optional')}
          >
            {(control) => (
              <TextInput
                {...control}
                type="number"
                min={1}
                max={365}
                value={typeof goal.withinDays === 'number' ? goal.withinDays : ''}
                onChange={({ target }) =>
                  set(withField(goal, 'withinDays', target.value === '' ? undefined : Number(target.value)))
                }
              />
            )}
          </Field>
        </>
      )}
      onChange={(next, about) => change({ goals: next }, about)}
    />
  );
}

const listOf = (names: readonly string[]): string =>
  names.length === 0 ? settingsText('rule.none') : names.join(' · ');

function useWords(): (config: Config) => string {
  const sentence = useSentence();
  return (config) => conditionWords(config, { sentence, step: () => undefined, tag: sentence.nameOf });
}
