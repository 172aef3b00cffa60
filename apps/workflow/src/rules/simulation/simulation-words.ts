import type { CompiledVersion } from '../compiled-version.js';
import type { Step } from '../graph/graph.js';
import type { SimulationExample } from './simulation-totals.js';

type PathLine = SimulationExample['path'][number];

const timeText = (at: unknown): string => String(at).slice(0, 16).replace('T', ' ');

/** Returns one sentence that says why a line of an example's path is as it is. @param startedBy type of the event */
export function lineSentence(line: PathLine, version: CompiledVersion, startedBy: string): string {
  const step = version.step(line.stepId);
  return general(line, version) ?? ofStep(line, step, startedBy);
}

function general({ outcome, data }: PathLine, { draft }: CompiledVersion): string | null {
  const reason = typeof data.reason === 'string' ? data.reason : '';
  switch (outcome) {
    case 'GOAL_MET': {
      const goal = draft.successGoals.find(({ id }) => id === data.goal);
      return `The success goal "${goal?.name ?? String(data.goal)}" was met${by(data)}.`;
    }
    case 'JUMPED':
      return `The condition of the goal "${String(data.to)}" was met${by(data)}, so the run jumped there.`;
    case 'CANCELED':
      if (reason === 'EXIT_RULE') return `Exit rule ${String(data.rule)} was met${by(data)}, so the run ended.`;
      if (reason === 'UNSUBSCRIBED') return 'The subscriber unsubscribed, which ends runs of this workflow.';
      return `The run was canceled: ${reason}.`;
    case 'FAILED':
      return `The run failed: ${reason}.`;
    default:
      return null;
  }
}

function ofStep({ outcome, data, at }: PathLine, step: Step, startedBy: string): string {
  const until = data.until ? ` until ${timeText(data.until)} UTC` : '';
  switch (step.type) {
    case 'TRIGGER':
      return startedBy === 'DATE_FIELD'
        ? `The date in the subscriber's field started the run at ${timeText(at)} UTC.`
        : `The event ${startedBy} at ${timeText(at)} UTC started the run.`;
    case 'WAIT':
      if (outcome === 'WAITING') return `The run waits${until}.`;
      if (data.reason === 'NO_DATE') return 'The field holds no date, so there was no wait.';
      return data.reason === 'PAST' ? 'The date of the wait had passed, so there was no wait.' : 'The wait was over.';
    case 'WAIT_UNTIL':
      if (outcome === 'WAITING') return `The condition was not met yet, so the run waits${until}.`;
      return outcome === 'MATCHED'
        ? `The condition was met${by(data)}.`
        : 'The condition was not met before the timeout.';
    case 'CONDITION':
      return `The subscriber ${outcome === 'TRUE' ? 'meets' : 'does not meet'} the filters now.`;
    case 'SPLIT':
      return `The split chose the branch "${outcome}" for this subscriber.`;
    case 'EMAIL':
      if (outcome === 'WAITING') return `The send window was closed${until}.`;
      return outcome === 'SENT'
        ? 'The email would have been sent.'
        : `No email: the subscriber is ${String(data.reason)}.`;
    case 'ACTION':
      return `The action ${step.config.kind} would have been carried out.`;
    case 'MOVE_TO_STEP':
      return `The run moved to the step "${step.config.stepId}".`;
    case 'GOAL':
      return 'The run passed the goal.';
    case 'EXIT':
      return 'The run reached its end.';
  }
}

function by({ by: cause, event }: Record<string, unknown>): string {
  if (typeof event === 'string') return ` by the event ${event}`;
  return cause === 'FILTERS' ? ' by filters' : '';
}
