import { buildText } from '../messages/en/workflow-build.js';
import { Section } from '../ui/section.js';
import { draftGraph, publishedGraph } from './draft.js';
import type { Sentence } from '../parts/filter/use-sentence.js';
import { titlesOf } from './step-words.js';
import type { Workflow } from './workflow-status.js';

/** What publishing the stored draft would change, in words. */
export function Changes({ workflow, sentence }: { workflow: Workflow; sentence: Sentence }) {
  const { published, difference, activeSubscribers } = workflow;
  if (!published || !difference) return <p className="text-soft">{buildText('changes.first')}</p>;
  const lines = changesInWords(workflow, sentence);
  const { version } = published;
  if (lines.length === 0) return <p className="text-soft">{buildText('changes.none', { version })}</p>;
  return (
    <Section title={buildText('changes', { version })}>
      <ul className="flex list-disc flex-col gap-1 ps-5">
        {lines.map((line) => (
          <li key={line} dir="auto" className="wrap-anywhere">
            {line}
          </li>
        ))}
      </ul>
      {activeSubscribers > 0 && (
        <p className="mt-2 text-soft">{buildText('changes.stay', { count: activeSubscribers })}</p>
      )}
    </Section>
  );
}

/** The differences between draft and published version, one line each. */
function changesInWords(workflow: Workflow, sentence: Sentence): string[] {
  const { difference } = workflow;
  const live = publishedGraph(workflow);
  if (!difference || !live) return [];
  const now = titlesOf(draftGraph(workflow), sentence);
  const before = titlesOf(live, sentence);
  const isMail = (id: string) => live.steps.find((step) => step.id === id)?.type === 'EMAIL';
  return [
    ...difference.stepsAdded.map((id) => buildText('changes.added', { step: now(id) })),
    ...difference.stepsChanged.map((id) =>
      // The version keeps its mails elsewhere, so that its words are not known here.
      before(id) === now(id) || isMail(id)
        ? buildText('changes.changed', { step: now(id) })
        : buildText('changes.from', { before: before(id), after: now(id) }),
    ),
    ...difference.stepsRemoved.map((id) => buildText('changes.removed', { step: before(id) })),
    ...(difference.edges ? [buildText('changes.edges')] : []),
    ...(difference.settings ? [buildText('changes.settings')] : []),
    ...(difference.successGoals ? [buildText('changes.goals')] : []),
  ];
}
