import { percent } from '../messages/format.js';
import { stepText } from '../messages/en/workflow-steps.js';
import { Button, IconButton } from '../ui/button.js';
import { TextInput } from '../ui/field.js';
import { Icon } from '../ui/icon.js';

export interface SplitBranch {
  name: string;
  weight: number;
}

/** The branches of a split, with the share of each. */
export function BranchesField({
  branches,
  fault,
  onChange,
}: {
  branches: readonly SplitBranch[];
  fault: string | undefined;
  onChange: (branches: SplitBranch[]) => void;
}) {
  const total = branches.reduce((sum, { weight }) => sum + (Number(weight) || 0), 0);
  const set = (place: number, change: Partial<SplitBranch>) =>
    onChange(branches.map((one, index) => (index === place ? { ...one, ...change } : one)));
  const newName = () => {
    for (let n = branches.length + 1; ; n++) {
      const name = stepText('branch.new', { place: n });
      if (branches.every((one) => one.name !== name)) return name;
    }
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="pb-1.5 text-sm font-medium">{stepText('field.branches')}</legend>
      {branches.map(({ name, weight }, place) => (
        <div key={place} className="flex items-center gap-2">
          <TextInput
            aria-label={stepText('branch.name', { place: place + 1 })}
            maxLength={64}
            value={name}
            onChange={({ target }) => set(place, { name: target.value })}
            className="flex-1"
          />
          <TextInput
            type="number"
            min={0}
            aria-label={stepText('branch.weight', { place: place + 1 })}
            value={weight}
            onChange={({ target }) => set(place, { weight: Number(target.value) })}
            className="w-20!"
          />
          <span className="w-14 text-end text-sm text-soft tabular">
            {total > 0 ? percent((Number(weight) || 0) / total) : stepText('none')}
          </span>
          <IconButton
            icon="close"
            label={stepText('branch.remove', { place: place + 1 })}
            disabled={branches.length === 1}
            onClick={() => onChange(branches.filter((_one, index) => index !== place))}
          />
        </div>
      ))}
      {fault !== undefined && (
        <p className="flex gap-1.5 text-sm text-bad">
          <Icon name="warning" className="mt-0.5 shrink-0" />
          {fault}
        </p>
      )}
      <div>
        <Button small look="quiet" icon="plus" onClick={() => onChange([...branches, { name: newName(), weight: 1 }])}>
          {stepText('branch.add')}
        </Button>
      </div>
    </fieldset>
  );
}
