import type { IncomingMessage } from 'node:http';
import { ToolError } from '#tool-call';

/**
 * An oversized body is received and discarded, so that the caller can read the response; `limitBody` ends a body
 * without end.
 * @throws ToolError BODY_TOO_LARGE; REQUEST_MALFORMED when the caller disconnected
 */
export function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const brokenOff = () => new ToolError('REQUEST_MALFORMED', { problem: 'its body was broken off' });
  const tooLarge = () => new ToolError('BODY_TOO_LARGE', { bytesMax });
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) return Promise.reject(tooLarge());
  if (request.destroyed) return Promise.reject(brokenOff());
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) {
        chunks.push(chunk);
      } else {
        chunks = [];
        reject(tooLarge());
      }
    });
    request.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    request.once('error', () => reject(brokenOff()));
  });
}
