import { z } from 'zod';
import { idText, tagName } from '../common.js';
import { defineRequests } from '../define.js';

const counted = z.object({ id: z.string(), name: z.string(), subscribersCount: z.int() });

/** `tag` is an id or a name. */
export const subscriberTagRequests = defineRequests('subscriber', {
  get_tag: {
    input: z.strictObject({ tag: idText }),
    output: z.object({ tag: counted }),
    errors: ['TAG_NOT_FOUND'],
    transaction: 'read',
  },
  /** Renames a tag; its subscribers keep it, and no workflow is triggered. */
  rename_tag: {
    input: z.strictObject({ tag: idText, name: tagName }),
    output: z.object({ tag: counted }),
    errors: ['TAG_NOT_FOUND', 'TAG_NAME_TAKEN'],
    transaction: 'write',
  },
});
