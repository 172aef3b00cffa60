import { commonText } from '../messages/en/common.js';
import { simulationText } from '../messages/en/workflow-simulation.js';
import { dateTime } from '../messages/format.js';
import { ScreenLink } from '../parts/screen-link.js';
import { Button, buttonClass } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import type { FlowGraph } from './flow-graph.js';
import { RunBadge } from './run-words.js';
import { whyOf } from './simulation.js';
import type { Example } from './simulation.js';

/** The path of one simulated run, each step with its time and reason. */
export function ExampleDialog({
  example,
  graph,
  titleOf,
  onClose,
}: {
  example: Example;
  graph: FlowGraph;
  titleOf: (id: string) => string;
  onClose: () => void;
}) {
  const { email, subscriberId, status, nextActionAt, path, linesLeftOut } = example;
  const title = simulationText('example.title', { email: email ?? simulationText('gone') });
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <Button look="primary" onClick={onClose}>
          {commonText('close')}
        </Button>
      }
    >
      <p className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1 text-soft">
        <RunBadge status={status} />
        {status === 'WAITING' &&
          nextActionAt !== null &&
          simulationText('example.until', { date: dateTime(nextActionAt) })}
        {email !== null && (
          <ScreenLink screen="subscriber" params={{ subscriberId }} className={buttonClass('quiet', true)}>
            {simulationText('example.open')}
          </ScreenLink>
        )}
      </p>
      <ol aria-label={title} className="flex flex-col gap-2.5 border-s border-line ps-3">
        {path.map((line, place) => (
          <li key={place} className="min-w-0">
            <span className="block truncate font-medium" dir="auto">
              {titleOf(line.stepId)}
            </span>
            <span className="block wrap-anywhere">{whyOf(line, example, graph)}</span>
            <span className="block text-sm text-soft tabular">{dateTime(line.at)}</span>
          </li>
        ))}
      </ol>
      {linesLeftOut > 0 && <p className="mt-2 text-soft">{simulationText('example.more', { count: linesLeftOut })}</p>}
    </Dialog>
  );
}
