import { useQuery } from '@tanstack/react-query';
import type { ToolData, ToolName } from '#client';
import { queries } from '../data/tools.calls.js';

type Waiting = ToolData<'list_approvals'>['approvals'][number];

/** The newest call of a tool on a record that waits for a decision; undefined where none does, or while it is not read. */
export function useWaitingApproval(tool: ToolName, id: string): Waiting | undefined {
  const { data } = useQuery(queries.list_approvals({ states: ['PENDING'], limit: 100 }));
  return data?.approvals.find((one) => one.tool === tool && one.subject?.id === id);
}
