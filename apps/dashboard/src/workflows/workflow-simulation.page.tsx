import { lazy, Suspense } from 'react';
import { WorkflowFrame } from './workflow-frame.js';

// Apart, so that the list of screens in the shell names none of its parts.
const SimulationView = lazy(async () => ({ default: (await import('./simulation-view.js')).SimulationView }));

/** What a workflow would have done with past events. */
export const WorkflowSimulationPage = () => (
  <WorkflowFrame>
    {(workflow) => (
      <Suspense fallback={null}>
        <SimulationView key={workflow.id} workflow={workflow} />
      </Suspense>
    )}
  </WorkflowFrame>
);
