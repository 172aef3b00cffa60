import { buildText } from '../messages/en/workflow-build.js';
import { Button, IconButton } from '../ui/button.js';
import { Choice, Field, TextInput } from '../ui/field.js';
import { Callout, Skeleton } from '../ui/states.js';
import { useStepSchemas } from './add-step.js';
import { ConfigForm } from './config-form.js';
import { changedFields } from './config-fields.js';
import type { Config } from './config-fields.js';
import { targetAt, withChanged, withWay } from './edit-graph.js';
import type { Place } from './edit-graph.js';
import type { FlowGraph, FlowStep } from './flow-graph.js';
import { MailFields } from './mail-fields.js';
import { branchesOf } from './outline.js';
import { stepFaults } from './step-faults.js';
import type { Problem } from './use-problems.js';
import { branchWord, fieldLabel, typeWord } from './step-labels.js';

export interface StepPanelProps {
  graph: FlowGraph;
  step: FlowStep;
  titleOf: (id: string) => string;
  problems: readonly Problem[];
  warnings: readonly Problem[];
  /** @param about changes about the same are one step of undo */
  onChange: (graph: FlowGraph, about: string | null) => void;
  onAdd: (place: Place) => void;
  onMove: (id: string, by: -1 | 1) => void;
  onRemove: (id: string) => void;
  onClose: () => void;
  /** Opens the editor of the step's mail. */
  onWrite: () => void;
}

/** One step: its name, the fields of its type, where it goes on, and what can be done with it. */
export function StepPanel(props: StepPanelProps) {
  const { graph, step, problems, warnings, onChange, onClose } = props;
  const own = problems.filter(({ stepId }) => stepId === step.id);
  const change = (part: { name?: string | undefined; config?: Config }, field: string) =>
    onChange(withChanged(graph, step.id, part), `${step.id}/${field}`);
  return (
    <section
      aria-label={buildText('panel')}
      className="flex min-w-0 flex-col gap-4 rounded-lg border border-line bg-paper p-4"
    >
      <header className="flex items-center gap-2">
        <h2 className="min-w-0 flex-1 truncate text-base font-semibold">{typeWord(step.type)}</h2>
        <IconButton small icon="close" label={buildText('close')} onClick={onClose} />
      </header>
      <Notes problems={own.filter(({ field }) => field === null)} tone="bad" />
      <Notes problems={warnings.filter(({ stepId }) => stepId === step.id)} tone="warn" />
      <StepFields
        {...props}
        faults={stepFaults(problems, step.id)}
        onConfig={(config) => change({ config }, changedFields(step.config, config))}
      />
      <Field label={fieldLabel('name')} hint={undefined}>
        {(control) => (
          <TextInput
            {...control}
            dir="auto"
            maxLength={255}
            value={step.name ?? ''}
            onChange={({ target }) => change({ name: target.value || undefined }, 'name')}
          />
        )}
      </Field>
      <WaysOn {...props} />
      <Deeds {...props} />
    </section>
  );
}

function Notes({ problems, tone }: { problems: readonly Problem[]; tone: 'bad' | 'warn' }) {
  if (problems.length === 0) return null;
  return (
    <Callout tone={tone}>
      {problems.map(({ message }) => (
        <p key={message}>{message}</p>
      ))}
    </Callout>
  );
}

function StepFields({
  graph,
  step,
  titleOf,
  faults,
  onWrite,
  onConfig,
}: StepPanelProps & { faults: Record<string, string>; onConfig: (config: Config) => void }) {
  const { data } = useStepSchemas();
  if (!data) return <Skeleton className="h-40" />;
  const schema = data.steps.find(({ type }) => type === step.type);
  if (!schema) return null;
  if (step.type === 'EMAIL')
    return <MailFields config={step.config} faults={faults} onWrite={onWrite} onChange={onConfig} />;
  const targets = graph.steps
    .filter(({ id, type }) => id !== step.id && type !== 'TRIGGER')
    .map(({ id }) => ({ id, title: titleOf(id) }));
  return (
    <ConfigForm
      key={step.id}
      type={step.type}
      schema={schema.config}
      config={step.config}
      faults={faults}
      targets={targets}
      onChange={onConfig}
    />
  );
}

/** Where each way of the step goes on: elsewhere in the graph, or nowhere. */
function WaysOn({ graph, step, titleOf, onChange }: StepPanelProps) {
  const branches = branchesOf(step);
  const places: Place[] =
    branches === null ? [{ after: step.id }] : branches.map((branch) => ({ after: step.id, branch }));
  if (places.length === 0) return null;
  const others = graph.steps.filter(({ id, type }) => id !== step.id && type !== 'TRIGGER');
  return (
    <details>
      <summary className="text-sm font-medium">{buildText('ways')}</summary>
      <div className="mt-2 flex flex-col gap-3">
        {places.map((place) => (
          <Field
            key={place.branch ?? ''}
            label={place.branch === undefined ? buildText('way') : branchWord(place.branch)}
          >
            {(control) => (
              <Choice
                {...control}
                value={targetAt(graph, place) ?? ''}
                options={[
                  { value: '', label: buildText('way.end') },
                  ...others.map(({ id }) => ({ value: id, label: titleOf(id) })),
                ]}
                onChange={({ target }) => onChange(withWay(graph, place, target.value || null), null)}
              />
            )}
          </Field>
        ))}
      </div>
    </details>
  );
}

function Deeds({ step, onAdd, onMove, onRemove }: StepPanelProps) {
  const branches = branchesOf(step);
  const isTrigger = step.type === 'TRIGGER';
  return (
    <div className="flex flex-wrap gap-2 border-t border-line pt-3">
      {branches === null ? (
        <Button small icon="plus" onClick={() => onAdd({ after: step.id })}>
          {buildText('add')}
        </Button>
      ) : (
        branches.map((branch) => (
          <Button key={branch} small icon="plus" onClick={() => onAdd({ after: step.id, branch })}>
            {buildText('addBranch', { branch: branchWord(branch) })}
          </Button>
        ))
      )}
      {!isTrigger && (
        <>
          <Button small onClick={() => onMove(step.id, -1)}>
            {buildText('up')}
          </Button>
          <Button small onClick={() => onMove(step.id, 1)}>
            {buildText('down')}
          </Button>
        </>
      )}
      <Button small icon="trash" onClick={() => onRemove(step.id)}>
        {buildText('remove')}
      </Button>
    </div>
  );
}
