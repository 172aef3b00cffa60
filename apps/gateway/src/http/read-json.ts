import type { FastifyRequest } from 'fastify';
import { ToolError } from '#tool-call';
import { isJsonType, parseJsonBody } from './json-body.js';
import { yieldForBody } from './yield-for-body.js';
import { readBody } from './read-body.js';

export async function readJson(
  request: FastifyRequest,
  bytesMax: number,
  { organizationId }: { organizationId: string },
): Promise<unknown> {
  const contentType = request.headers['content-type'];
  const unsupported = () => new ToolError('CONTENT_TYPE_UNSUPPORTED', { contentType: contentType ?? '' });
  if (contentType !== undefined && !isJsonType(contentType)) throw unsupported();
  const bytes = await readBody(request.raw, bytesMax);
  if (contentType === undefined && bytes.length > 0) throw unsupported();
  await yieldForBody(organizationId, bytes.length);
  return parseJsonBody(bytes);
}
