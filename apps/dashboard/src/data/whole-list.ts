import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import type { ToolData, ToolInput, ToolName } from '#client';
import { callTool } from './call-tool.js';
import { currentOrganization } from './session.js';
import { firstPage, toolKey } from './tools.calls.js';
import type { PageQuery } from './tools.calls.js';

/** A list that its tool returns as a whole, in the form of a list by cursor, for `RecordList`. */
export function wholeList<T extends ToolName>(tool: T, input: ToolInput<T>): PageQuery<ToolData<T>> {
  const organization = currentOrganization();
  return infiniteQueryOptions({
    queryKey: [...toolKey(tool, input), 'whole'] as const,
    queryFn: ({ signal }): Promise<ToolData<T>> => callTool(tool, input, { signal, organization }),
    initialPageParam: firstPage,
    getNextPageParam: () => undefined,
    placeholderData: keepPreviousData,
  }) as unknown as PageQuery<ToolData<T>>;
}
