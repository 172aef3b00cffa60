import { z } from 'zod';
import { idText, nextCursor, pageSize, tagName, timestamp } from '../common.js';
import { defineTools } from '../define.js';
import { importBytesMax, importColumnsMax, importJobRowsMax, openImportsMax } from '../limits.js';

export const importAddedRowsMax = 2_000;
/** Of a file, as a caller names it; without it, check_subscriber_import detects it. */
export const importEncodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export const importDelimiters = [',', ';', '\t', '|'] as const;
export const importStates = [
  'NEW',
  'UPLOADING',
  'UPLOADED',
  'CHECKING',
  'CHECKED',
  'RUNNING',
  'DONE',
  'FAILED',
  'CANCELED',
] as const;
/** Orders of the parts of a date; unix counts seconds, or milliseconds from 12 digits on. */
export const importDateFormats = ['iso', 'dmy', 'mdy', 'ymd', 'unix'] as const;

const columnName = z.string().max(1_000);
export const importColumn = z.strictObject({
  column: columnName.describe('A heading of the first row'),
  to: z.enum(['email', 'name', 'phone', 'country', 'ipAddress', 'tags', 'status', 'field']),
  field: z
    .string()
    .trim()
    .min(1)
    .max(255)
    .optional()
    .describe('For to: field, the name of the custom field; without it the heading'),
  type: z.enum(['TEXT', 'NUMBER', 'DATE']).optional().describe('For to: field; default TEXT'),
  format: z.enum(importDateFormats).optional().describe('For DATE; without it the check infers it from all rows'),
});
export type ImportColumn = z.infer<typeof importColumn>;

export const importOptions = z.strictObject({
  mode: z.enum(['CREATE_AND_UPDATE', 'CREATE_ONLY', 'UPDATE_ONLY']).default('CREATE_AND_UPDATE'),
  emptyCells: z.enum(['KEEP', 'CLEAR']).default('KEEP'),
  tags: z.array(tagName).max(100).default([]).describe('Tags for the subscriber of every row'),
  resubscribe: z.boolean().default(false),
  triggerWorkflows: z.boolean().default(false),
});
export type ImportOptions = z.infer<typeof importOptions>;

export const importRefusalCodes = [
  'EMAIL_INVALID',
  'EMAIL_MISSING',
  'ROW_INVALID',
  'FIELD_RESERVED',
  'COUNTRY_UNKNOWN',
  'NUMBER_INVALID',
  'DATE_INVALID',
  'STATUS_REFUSED',
  'LIMIT_REACHED',
] as const;

const mapping = z.array(importColumn).min(1).max(importColumnsMax);

const check = z.object({
  new: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  refused: z.partialRecord(z.enum(importRefusalCodes), z.int()),
  samples: z.array(
    z.object({
      line: z.int(),
      email: z.string().nullable(),
      subscriber: z
        .object({
          name: z.string().nullable().optional(),
          phone: z.string().nullable().optional(),
          country: z.string().nullable().optional(),
          ipAddress: z.string().nullable().optional(),
          fields: z.record(z.string(), z.string().nullable()),
          tags: z.array(z.string()),
        })
        .optional(),
      code: z.enum(importRefusalCodes).optional(),
      message: z.string().optional(),
    }),
  ),
  repeated: z
    .object({
      rows: z.int(),
      addresses: z.array(z.object({ email: z.string(), lines: z.array(z.int()), rows: z.int() })),
    })
    .optional()
    .describe('Rows whose address an earlier row has, and the first such addresses with their lines'),
  suggestions: z.array(
    z.object({ column: z.string(), message: z.string(), formats: z.array(z.enum(importDateFormats)).optional() }),
  ),
  columns: z.array(z.string()),
  mapping: z.array(importColumn),
  options: z.object({
    mode: z.string(),
    emptyCells: z.string(),
    tags: z.array(z.string()),
    resubscribe: z.boolean(),
    triggerWorkflows: z.boolean(),
  }),
  delimiter: z.string(),
  encoding: z.enum(importEncodings),
});
export type ImportCheck = z.input<typeof check>;

const head = z.object({
  columns: z.array(z.string()),
  mapping: z.array(importColumn).describe('What a check without a mapping infers, before it has read the rows'),
  rows: z.array(z.array(z.string())).describe('Cells of the first rows, each cut at 200 characters'),
});
export type ImportHead = z.input<typeof head>;

const importView = {
  id: z.string(),
  name: z.string().nullable(),
  state: z.enum(importStates),
  receivedBytes: z.int(),
  rows: z.int().nullable().describe('Rows of the file without its header; null until a check has read it'),
  done: z.int().describe('Rows that the current check or run has read'),
  imported: z.int(),
  updated: z.int(),
  unchanged: z.int().describe('Rows that changed nothing, and rows that the mode leaves out'),
  failed: z.int(),
  ratePerSecond: z.number().nullable(),
  failure: z.string().nullable(),
  errorsUrl: z.string().optional().describe('CSV of the refused rows; requires no token'),
  errorsUrlExpiresAt: timestamp.optional(),
  startedBy: z.object({ kind: z.string(), id: z.string().nullable() }).nullable(),
  createdAt: timestamp,
  startedAt: timestamp.nullable(),
  finishedAt: timestamp.nullable(),
};
export const importState = z.object(importView);
const withImport = z.object({ import: importState });
const importId = idText;
const limits = `at most ${importBytesMax / 1024 ** 3} GiB, ${(importJobRowsMax / 1_000_000).toString()} million rows and ${importColumnsMax} columns`;
const lastCheck = 'Without mapping or options, those of the last check are used.';

export const subscriberImportTools = defineTools('subscriber', {
  create_subscriber_import: {
    summary: 'Creates an import of a CSV file and returns the URL that receives the file.',
    category: 'transfer',
    scope: 'write',
    rules: [
      'Send the file with PUT to uploadUrl, as text/csv. After a break, continue with ?offset= at receivedBytes.',
      'With ?size=, the bytes of the whole file, it may come in several bodies and is UPLOADED once all have arrived.',
      `A file has ${limits}. Delimiter and encoding are detected when they are not given.`,
      `At most ${openImportsMax} imports are open at a time. Files are kept for 7 days.`,
    ],
    input: z.strictObject({
      name: z.string().trim().min(1).max(255).optional(),
      delimiter: z.enum(importDelimiters).optional(),
      encoding: z.enum(importEncodings).optional(),
    }),
    output: z.object({ import: importState, uploadUrl: z.string() }),
    errors: ['IMPORTS_TOO_MANY'],
    transaction: 'write',
    keywords: 'upload a CSV, spreadsheet, load a big list, migrate contacts from another system',
    example: { name: 'Newsletter list' },
  },
  add_rows_to_subscriber_import: {
    summary: `Adds up to ${importAddedRowsMax.toLocaleString('en')} rows to an import, for callers without a file.`,
    category: 'transfer',
    scope: 'write',
    rules: [
      'The keys of all rows of the first call are the columns; a later row must not have others.',
      'An import takes either a file or rows.',
    ],
    input: z.strictObject({
      importId,
      rows: z
        .array(
          z.record(columnName, z.union([z.string().max(10_000), z.number(), z.boolean(), z.null()])).describe('Cells'),
        )
        .min(1)
        .max(importAddedRowsMax),
    }),
    output: withImport,
    errors: ['IMPORT_NOT_FOUND', 'IMPORT_STATE', 'IMPORT_TOO_LARGE'],
    transaction: 'write',
    keywords: 'append people, upload rows without a file, send contacts in parts',
    example: { importId: '{importId}', rows: [{ email: 'lin@example.com', city: 'Taipei' }] },
  },
  check_subscriber_import: {
    summary: 'Starts a trial of an import that reads every row and changes no subscriber.',
    category: 'transfer',
    scope: 'write',
    rules: [
      'Poll get_subscriber_import until CHECKED. Its check then counts new, updated, unchanged and refused rows.',
      'Without mapping it is inferred from headings and values, and returned.',
      'check.repeated counts rows whose address an earlier row has: the values of the last row win, with CREATE_ONLY the first.',
      'If two formats of a DATE column fit its values equally, the check ends UPLOADED and names both.',
    ],
    input: z.strictObject({ importId, mapping: mapping.optional(), options: importOptions.prefault({}) }),
    output: withImport,
    errors: ['IMPORT_NOT_FOUND', 'IMPORT_STATE', 'MAPPING_INVALID'],
    transaction: 'write',
    keywords: 'dry run, test a spreadsheet, validate CSV, column mapping, what would be imported',
    example: {
      importId: '{importId}',
      mapping: [
        { column: 'email', to: 'email' },
        { column: 'city', to: 'field' },
      ],
    },
  },
  start_subscriber_import: {
    summary: 'Starts an import that creates and updates the subscribers of its file.',
    category: 'transfer',
    scope: 'send',
    lighter: {
      scope: 'write',
      appliesTo: ({ options }) => !(options as ImportOptions | undefined)?.triggerWorkflows,
    },
    confirm: true,
    rules: [
      lastCheck,
      'triggerWorkflows counts only if it is given here, and needs the scope send.',
      'A row that is refused fails alone; errorsUrl returns these rows. Rows follow import_subscribers.',
      'An address that occurs again in the file changes only the given fields and adds tags.',
    ],
    input: z.strictObject({ importId, mapping: mapping.optional(), options: importOptions.optional() }),
    output: withImport,
    errors: ['IMPORT_NOT_FOUND', 'IMPORT_STATE', 'MAPPING_INVALID', 'QUOTA_REACHED'],
    transaction: 'write',
    keywords: 'run the upload, begin loading contacts, commit the CSV',
    example: { importId: '{readyImportId}' },
  },
  get_subscriber_import: {
    summary: 'Returns the state and counts of an import, with the result of its last check.',
    category: 'transfer',
    scope: 'read',
    rules: [
      'errorsUrl is there when rows were refused and the import has ended.',
      'head is there between upload and start, if the header of the file can be read.',
    ],
    input: z.strictObject({ importId }),
    output: z.object({ import: z.object({ ...importView, check: check.nullable(), head: head.optional() }) }),
    errors: ['IMPORT_NOT_FOUND'],
    transaction: 'read',
    keywords: 'progress of an upload, how far, failed rows, result of the import',
    example: { importId: '{importId}' },
  },
  list_subscriber_imports: {
    summary: 'Lists the imports of the last 7 days and the open ones, newest first.',
    category: 'transfer',
    scope: 'read',
    input: z.strictObject({ limit: pageSize(100, 25), cursor: z.string().max(320).optional() }),
    output: z.object({ imports: z.array(importState), nextCursor }),
    errors: [],
    transaction: 'read',
    keywords: 'former uploads, past CSV files, running uploads',
    example: {},
  },
  cancel_subscriber_import: {
    summary: 'Cancels an import. Rows that were imported stay.',
    category: 'transfer',
    scope: 'write',
    rules: ['The file is deleted; the file of refused rows stays.'],
    input: z.strictObject({ importId }),
    output: withImport,
    errors: ['IMPORT_NOT_FOUND', 'IMPORT_STATE'],
    transaction: 'write',
    keywords: 'stop an upload of contacts, abort loading a list, undo an upload',
    example: { importId: '{importId}' },
  },
});
