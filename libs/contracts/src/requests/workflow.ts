import { z } from 'zod';
import { defineRequests } from '../define.js';
import { filterUsers, named, namesAsked } from './named.js';

export const workflowRequests = defineRequests('workflow', {
  /** Which of these workflows there are; a name (without case) may be several workflows'. */
  find_workflows: {
    input: namesAsked,
    output: z.object({ workflows: z.array(named) }),
    errors: [],
    transaction: 'read',
  },
  /** The ACTIVE workflows whose live version names one of these (`tag:tag_…`). */
  list_filter_users: filterUsers,
  get_workflow_totals: {
    input: z.strictObject({}),
    output: z.object({ workflows: z.int() }),
    errors: [],
    transaction: 'read',
  },
});
