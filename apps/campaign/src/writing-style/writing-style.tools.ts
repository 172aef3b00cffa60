import { writingStyleTools } from '#contracts';
import { implement, ToolError } from '#tool-call';
import type { WritingStyleRepository } from './writing-style.repository.js';

export const implementWritingStyleTools = ({ styles }: { styles: WritingStyleRepository }) =>
  implement(writingStyleTools, {
    get_writing_style: async (_args, { organizationId }) => ({ writingStyle: await styles.get(organizationId) }),

    update_writing_style: async (change, { organizationId, now }) => {
      if (Object.values(change).every((text) => text === undefined)) throw new ToolError('NOTHING_TO_CHANGE', {});
      return { writingStyle: await styles.upsert(organizationId, change, now) };
    },
  });
