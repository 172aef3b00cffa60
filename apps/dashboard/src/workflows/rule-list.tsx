import type { ReactNode } from 'react';
import { settingsText } from '../messages/en/workflow-runs.js';
import { Button, IconButton } from '../ui/button.js';
import { Section } from '../ui/section.js';
import { Callout, Skeleton } from '../ui/states.js';
import { useStepSchemas } from './add-step.js';
import { ConfigForm } from './config-form.js';
import type { Config } from './config-fields.js';

interface RuleProps {
  name: string;
  rule: Config;
  faults: Readonly<Record<string, string>>;
  isDisabled: boolean;
  /** Fields that stand before the condition. */
  above?:
    | ((rule: Config, faults: Readonly<Record<string, string>>, change: (rule: Config) => void) => ReactNode)
    | undefined;
  onChange: (rule: Config) => void;
  onRemove: () => void;
}

/** A list of conditions that a draft holds: goals, or rules that end a run. */
export function RuleList({
  title,
  lead,
  rules,
  faultsOf,
  nameOf,
  addLabel,
  before,
  newRule,
  onChange,
  ...shared
}: Pick<RuleProps, 'isDisabled' | 'above'> & {
  title: string;
  lead: string;
  rules: readonly Config[];
  faultsOf: (place: number) => Readonly<Record<string, string>>;
  /** Names one in words. */
  nameOf: (rule: Config) => string;
  addLabel: string;
  /** What the published version holds, where it differs. */
  before: ReactNode;
  newRule: () => Config;
  onChange: (rules: readonly Config[], about: string | null) => void;
}) {
  return (
    <Section title={title} lead={lead}>
      <div className="flex flex-col gap-3">
        {rules.map((rule, place) => (
          <Rule
            key={place}
            {...shared}
            name={nameOf(rule)}
            rule={rule}
            faults={faultsOf(place)}
            onChange={(next) =>
              onChange(
                rules.map((one, index) => (index === place ? next : one)),
                `${title}/${place}`,
              )
            }
            onRemove={() =>
              onChange(
                rules.filter((_one, index) => index !== place),
                null,
              )
            }
          />
        ))}
        {rules.length === 0 && <p className="text-soft">{settingsText('rule.none')}</p>}
        {before}
        {!shared.isDisabled && rules.length < rulesMax && (
          <div>
            <Button icon="plus" onClick={() => onChange([...rules, newRule()], null)}>
              {addLabel}
            </Button>
          </div>
        )}
      </div>
    </Section>
  );
}

/** The API takes at most 50 goals, and as many exit rules. */
const rulesMax = 50;

function Rule({ name, rule, faults, isDisabled, above, onChange, onRemove }: RuleProps) {
  const schema = useStepSchemas().data?.steps.find(({ type }) => type === 'GOAL')?.config;
  const { event, filters, ...rest } = rule;
  const condition = { ...(event !== undefined && { event }), ...(filters !== undefined && { filters }) };
  return (
    <fieldset disabled={isDisabled} className="flex min-w-0 flex-col gap-4 rounded-lg border border-line bg-paper p-4">
      <legend className="sr-only">{name}</legend>
      <div className="flex items-center gap-2">
        <span aria-hidden="true" className="min-w-0 flex-1 truncate font-medium" dir="auto">
          {name}
        </span>
        {!isDisabled && (
          <IconButton small icon="trash" label={settingsText('rule.remove', { name })} onClick={onRemove} />
        )}
      </div>
      {faults[''] !== undefined && <Callout tone="bad">{faults['']}</Callout>}
      {above?.(rule, faults, onChange)}
      {schema ? (
        <ConfigForm
          type="GOAL"
          schema={schema}
          config={condition}
          faults={faults}
          targets={[]}
          onChange={(next) => onChange({ ...rest, ...next })}
        />
      ) : (
        <Skeleton className="h-24" />
      )}
    </fieldset>
  );
}
