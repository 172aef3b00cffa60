import type { ToolData, ToolInput } from '#client';
import { callTool } from '../data/call-tool.js';
import { currentOrganization } from '../data/session.js';
import { pages } from '../data/tools.calls.js';
import type { PageQuery } from '../data/tools.calls.js';

/** Messages by cursor. A call looks through a part of them: one that finds none is followed by the next. */
export function foundMessages(input: Omit<ToolInput<'list_messages'>, 'cursor'>): PageQuery<ToolData<'list_messages'>> {
  const organization = currentOrganization();
  return {
    ...pages.list_messages(input),
    queryFn: async ({ signal, pageParam }) => {
      let { cursor } = pageParam;
      for (;;) {
        const call = { ...input, ...(cursor !== '' && { cursor }) };
        const page = await callTool('list_messages', call, { signal, organization });
        if (page.messages.length > 0 || page.nextCursor === null) return page;
        cursor = page.nextCursor;
      }
    },
  };
}
