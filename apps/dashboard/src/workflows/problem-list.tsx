import { buildText } from '../messages/en/workflow-build.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Icon } from '../ui/icon.js';
import { Section } from '../ui/section.js';
import type { Problem, Problems } from './use-problems.js';

/** What stands against publishing, and what is worth a look; each leads to its step. */
export function ProblemList({
  checked: { problems, warnings, isChecked, error },
  titleOf,
  onSelect,
}: {
  checked: Problems;
  titleOf: (id: string) => string;
  onSelect: (step: string) => void;
}) {
  if (error) return <ErrorNotice error={error} />;
  if (problems.length === 0 && warnings.length === 0)
    return (
      <p className="flex items-center gap-1.5 text-sm text-soft">
        {isChecked && <Icon name="check" className="text-good" />}
        {buildText(isChecked ? 'noProblems' : 'checking')}
      </p>
    );
  return (
    <>
      <List title={buildText('problems')} list={problems} titleOf={titleOf} onSelect={onSelect} />
      <List title={buildText('warnings')} list={warnings} titleOf={titleOf} onSelect={onSelect} />
    </>
  );
}

function List({
  title,
  list,
  titleOf,
  onSelect,
}: {
  title: string;
  list: readonly Problem[];
  titleOf: (id: string) => string;
  onSelect: (step: string) => void;
}) {
  if (list.length === 0) return null;
  return (
    <Section title={title}>
      <ul className="flex flex-col gap-2">
        {list.map(({ stepId, message }) => (
          <li key={`${stepId} ${message}`} className="wrap-anywhere">
            {stepId !== null && (
              <button
                type="button"
                dir="auto"
                onClick={() => onSelect(stepId)}
                className="min-h-6 text-start font-medium underline underline-offset-2"
              >
                {titleOf(stepId)}
              </button>
            )}
            <span className="block text-soft">{message}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
