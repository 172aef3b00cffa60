import { z } from 'zod';
import { defineRequests } from '../define.js';
import { importPieceBytes } from '../limits.js';
import { importState } from '../tools/subscriber-import.js';

export const importRequests = defineRequests('subscriber', {
  /**
   * Appends up to 1 MiB of base64 to the file of an import; without any, checks that the upload may continue there.
   * `isLast` ends the file.
   */
  add_import_bytes: {
    input: z.strictObject({
      importId: z.string(),
      offset: z.int().min(0),
      content: z.string().max(Math.ceil(importPieceBytes / 3) * 4),
      isLast: z.boolean(),
    }),
    output: z.object({ import: importState }),
    errors: ['IMPORT_NOT_FOUND', 'IMPORT_STATE', 'IMPORT_TOO_LARGE', 'OFFSET_WRONG'],
    transaction: 'write',
  },
});
