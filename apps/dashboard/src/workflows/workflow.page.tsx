import { useEffect } from 'react';
import { useGo } from '../parts/screen-link.js';
import { WorkflowFrame } from './workflow-frame.js';

/** Leads on to the draft of the workflow. */
export function WorkflowPage() {
  return <WorkflowFrame>{({ id }) => <LeadOn workflowId={id} />}</WorkflowFrame>;
}

function LeadOn({ workflowId }: { workflowId: string }) {
  const go = useGo();
  useEffect(() => {
    go({ screen: 'workflowBuild', params: { workflowId }, replace: true });
    // `go` is a new function at every render.
  }, [workflowId]);
  return null;
}
