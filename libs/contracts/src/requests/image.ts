import { z } from 'zod';
import { defineRequests } from '../define.js';

export const imageRequests = defineRequests('campaign', {
  /** A hosted image for the gateway, its bytes in base64 (under 2 MB decoded); null when there is none. */
  get_image_file: {
    input: z.strictObject({ imageId: z.string() }),
    output: z.object({ file: z.object({ contentType: z.string(), content: z.string() }).nullable() }),
    errors: [],
    transaction: 'read',
  },
});
