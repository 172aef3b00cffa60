import { keepPreviousData } from '@tanstack/react-query';
import type { ToolData, ToolInput } from '#client';
import { callTool } from '../data/call-tool.js';
import { currentOrganization } from '../data/session.js';
import { firstPage, toolKey } from '../data/tools.calls.js';
import type { PageQuery } from '../data/tools.calls.js';

/** Rows that `RecordList` takes for one page. */
const pageSize = 100;

/** The list of suppressed subscribers, whose tool counts its pages, in the form of a list by cursor. */
export function suppressedPages(
  input: Pick<ToolInput<'list_suppressed_subscribers'>, 'status'>,
): PageQuery<ToolData<'list_suppressed_subscribers'>> {
  const organization = currentOrganization();
  return {
    queryKey: [...toolKey('list_suppressed_subscribers', input), 'pages'],
    queryFn: ({ signal, pageParam: { place } }) =>
      callTool('list_suppressed_subscribers', { ...input, page: place + 1, pageSize }, { signal, organization }),
    initialPageParam: firstPage,
    getNextPageParam: ({ page, pageCount }, _pages, previous) =>
      page < pageCount ? { cursor: String(page + 1), place: previous.place + 1, previous } : undefined,
    getPreviousPageParam: (_first, _pages, { previous }) => previous,
    placeholderData: keepPreviousData,
  };
}
