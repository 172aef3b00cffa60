import { z } from 'zod';
import { generalReasons, reasons, statusOfCode, refusalsOf } from '#contracts';
import type { CatalogueEntry, ErrorCode, Reason, V1Endpoint } from '#contracts';
import { confirmationQuestionSchema } from '../tool/confirmation-question.js';
import { jsonSchema } from '../tool/tool-listing.js';
import type { ListedTool } from '../tool/tool-listing.js';

type Json = Record<string, unknown>;

export interface OpenApiSource {
  tools: readonly ListedTool[];
  catalogue: ReadonlyMap<string, CatalogueEntry>;
  endpoints: readonly V1Endpoint[];
  publicUrl: string;
  version: string;
}

/** Refusals of the request pipeline, before the handler of a call runs. */
const authenticationErrors: readonly ErrorCode[] = [
  ...(['INVALID_JSON', 'UNAUTHENTICATED', 'FORBIDDEN', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const),
  ...(['RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE', 'TIMEOUT'] as const),
];

/** Builds an OpenAPI 3.1 document of the whole HTTP interface for API tokens, from the contracts alone. */
export function openApiDocument(source: OpenApiSource): Json {
  const { tools, catalogue, endpoints, publicUrl, version } = source;
  const paths: Record<string, Json> = {
    '/api/v2/tools': { get: listing },
    '/api/v2/tools/{name}': { get: oneTool },
  };
  for (const tool of tools)
    paths[`/api/v2/tools/${tool.name}`] = { post: toolOperation(tool, catalogue.get(tool.name)!) };
  for (const endpoint of endpoints) {
    const path = `/api/v1${endpoint.path.replace(/:(\w+)/g, '{$1}')}`;
    (paths[path] ??= {})[endpoint.method.toLowerCase()] = endpointOperation(endpoint);
    if (endpoint.path === '/emails/verify') {
      paths['/api/v2/verify'] = { post: { ...endpointOperation(endpoint), operationId: 'verify', tags: ['email'] } };
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Tidings', version, summary: 'Email marketing and automation as tools' },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: publicUrl }],
    security: [{ token: [] }],
    tags: [...new Set([...tools.map(({ category }) => category), 'listing', 'v1'])].map((name) => ({ name })),
    paths,
    components,
  };
}

function toolOperation(tool: ListedTool, { contract }: CatalogueEntry): Json {
  const data = plain(tool.outputSchema);
  return {
    operationId: tool.name,
    tags: [tool.category],
    summary: contract.summary,
    description: tool.description,
    'x-scope': contract.scope,
    'x-requires-confirmation': tool.requiresConfirmation,
    parameters: [
      { $ref: '#/components/parameters/IdempotencyKey' },
      ...(contract.locks ? [{ $ref: '#/components/parameters/IfMatch' }] : []),
    ],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: plain(tool.inputSchema), example: contract.example } },
    },
    responses: {
      200: success({ type: 'object', properties: { success: { const: true }, data }, required: ['success', 'data'] }),
      ...refusals(refusalsOf(contract), tool.requiresConfirmation),
    },
  };
}

function endpointOperation({ method, path, summary, scope, parameters, answer, errors }: V1Endpoint): Json {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  const { properties = {}, required = [] } = plain(jsonSchema(parameters)) as {
    properties?: Json;
    required?: string[];
  };
  const rest = Object.keys(properties).filter((name) => !inPath.includes(name));
  const inQuery = method === 'GET' ? rest : [];
  const inBody = method === 'GET' ? [] : rest;
  const parameter = (name: string, place: 'path' | 'query') => {
    const isRequired = place === 'path' || required.includes(name);
    return { name, in: place, required: isRequired, schema: properties[name] };
  };
  const described = plain(jsonSchema(answer)) as { properties?: Json; required?: string[] };
  return {
    operationId: ['v1', method.toLowerCase(), ...path.split(/[/:]+/).filter(Boolean)].join('_'),
    tags: ['v1'],
    summary,
    'x-scope': scope,
    parameters: [
      ...inPath.map((name) => parameter(name, 'path')),
      ...inQuery.map((name) => parameter(name, 'query')),
      ...(method === 'GET' ? [] : [{ $ref: '#/components/parameters/IdempotencyKey' }]),
    ],
    ...(inBody.length > 0 && { requestBody: bodyOf(inBody, properties, required) }),
    responses: {
      200: success({
        ...described,
        properties: { success: { type: 'boolean' }, ...described.properties },
        required: [...new Set(['success', ...(described.required ?? [])])],
      }),
      ...refusals(errors, false),
    },
  };
}

function bodyOf(names: readonly string[], properties: Json, required: readonly string[]): Json {
  const needed = names.filter((name) => required.includes(name));
  const schema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, properties[name]])),
    ...(needed.length > 0 && { required: needed }),
  };
  return { required: needed.length > 0, content: { 'application/json': { schema } } };
}

const success = (schema: Json): Json => ({
  description: 'Done',
  headers: responseHeaders,
  content: { 'application/json': { schema } },
});

/** The refusals of a call by HTTP status, each with its possible reasons. */
function refusals(declared: readonly Reason[], asksFirst: boolean): Json {
  const byStatus = new Map<number, Set<string>>();
  const add = (code: ErrorCode, reason: string) => {
    const status = statusOfCode[code];
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(reason));
  };
  for (const code of authenticationErrors) add(code, code);
  for (const reason of [...generalReasons, ...declared]) add(reasons[reason].code, reason);
  if (asksFirst) add('CONFIRMATION_REQUIRED', 'CONFIRMATION_REQUIRED');
  return Object.fromEntries(
    [...byStatus].map(([status, said]) => {
      const schema = {
        $ref: `#/components/schemas/${status === 403 && asksFirst ? 'ConfirmationOrFailure' : 'Failure'}`,
      };
      return [status, { description: [...said].join(', '), content: { 'application/json': { schema } } }];
    }),
  );
}

/** A schema as part of the document, which declares the dialect for all. */
const plain = ({ $schema: _, ...schema }: Json): Json => schema;

const header = (description: string, type = 'integer') => ({ description, schema: { type } });
const responseHeaders = {
  'X-Request-Id': header('What to name when asking about this call', 'string'),
  'X-RateLimit-Limit': header('Calls a minute'),
  'X-RateLimit-Remaining': header('Calls left'),
  'X-RateLimit-Reset': header('When the next calls are free, in seconds since the epoch'),
};

const listing: Json = {
  operationId: 'list_tools',
  tags: ['listing'],
  summary: 'Lists every tool with its schemas.',
  responses: { 200: success({ type: 'object' }), ...refusals([], false) },
};
const oneTool: Json = {
  operationId: 'show_tool',
  tags: ['listing'],
  summary: 'Shows one tool with its schemas.',
  parameters: [{ name: 'name', in: 'path', required: true, schema: { type: 'string' } }],
  responses: { 200: success({ type: 'object' }), ...refusals(['TOOL_UNKNOWN'], false) },
};

const issue = z.object({
  path: z.array(z.union([z.string(), z.int()])),
  message: z.string(),
  stepId: z.string().optional().describe('Of a workflow: the step that the problem is about'),
});
const failure = z.object({
  success: z.literal(false),
  error: z.string().describe('For a person: what was refused, and what to do'),
  code: z.enum(Object.keys(statusOfCode) as [ErrorCode, ...ErrorCode[]]),
  reason: z.string().optional(),
  message: z.string().optional(),
  issues: z.array(issue).optional(),
  retryAt: z.iso.datetime().optional(),
});
const components = {
  securitySchemes: { token: { type: 'http', scheme: 'bearer', bearerFormat: 'tdg_…' } },
  parameters: {
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description: 'The same key with the same body answers the first result for 24 hours.',
      schema: { type: 'string', maxLength: 255 },
    },
    IfMatch: {
      name: 'If-Match',
      in: 'header',
      required: false,
      description: 'The updatedAt that the record must still have, in quotes; another one is refused as stale.',
      schema: { type: 'string', example: '"2026-05-01T09:30:00.000Z"' },
    },
  },
  schemas: {
    Failure: plain(jsonSchema(failure)),
    Confirmation: plain(jsonSchema(confirmationQuestionSchema)),
    // Not oneOf: a confirmation question also has all fields of a failure.
    ConfirmationOrFailure: {
      anyOf: [{ $ref: '#/components/schemas/Confirmation' }, { $ref: '#/components/schemas/Failure' }],
    },
  },
};
