import { request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { ToolError } from '#tool-call';
import { signRequest } from './sign-request.js';
import type { StorageKey } from './sign-request.js';

/** Response timeout in milliseconds; a hosted image has less than 2 MB. */
const answerMs = 10_000;

export interface ObjectStorageOptions extends StorageKey {
  /** Base address of the storage, such as `https://s3.eu-central-1.amazonaws.com`. */
  endpoint: string;
  bucket: string;
}

/** A bucket of an S3-compatible storage, in path-style addressing, which all of them support. */
export class ObjectStorage {
  constructor(private readonly options: ObjectStorageOptions) {}

  /**
   * Stores an object, replacing one with the same key. @throws ToolError SERVICE_UNAVAILABLE when the storage refuses
   * it
   */
  async put(key: string, content: Buffer, contentType: string): Promise<void> {
    const { status } = await this.#ask('PUT', key, content, { 'content-type': contentType });
    if (status !== 200) throw unavailable(`PUT answers ${status}`);
  }

  /**
   * @returns null when there is no such object. @throws ToolError SERVICE_UNAVAILABLE when the storage does not respond
   */
  async get(key: string): Promise<Buffer | null> {
    const { status, body } = await this.#ask('GET', key, Buffer.alloc(0), {});
    if (status === 404) return null;
    if (status !== 200) throw unavailable(`GET answers ${status}`);
    return body;
  }

  /** Deletes an object; one that does not exist is a success. @throws ToolError SERVICE_UNAVAILABLE */
  async delete(key: string): Promise<void> {
    const { status } = await this.#ask('DELETE', key, Buffer.alloc(0), {});
    if (status !== 204 && status !== 200 && status !== 404) throw unavailable(`DELETE answers ${status}`);
  }

  async #ask(
    method: 'GET' | 'PUT' | 'DELETE',
    key: string,
    body: Buffer,
    more: Record<string, string>,
  ): Promise<{ status: number; body: Buffer }> {
    const url = new URL(`/${this.options.bucket}/${key}`, this.options.endpoint);
    const plain = { ...more, host: url.host };
    const headers = signRequest(
      { method, path: url.pathname, headers: plain, body },
      this.options,
      new Date(Date.now()),
    );
    const ask = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const signal = AbortSignal.timeout(answerMs);
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        ask(url, { method, headers: { ...headers, 'content-length': body.length }, signal })
          .on('response', resolve)
          .on('error', reject)
          .end(body);
      });
      const pieces: Buffer[] = [];
      for await (const piece of response) pieces.push(piece as Buffer);
      return { status: response.statusCode ?? 0, body: Buffer.concat(pieces) };
    } catch (cause) {
      throw unavailable('no answer', cause);
    }
  }
}

const unavailable = (problem: string, cause?: unknown): ToolError =>
  new ToolError('SERVICE_UNAVAILABLE', { service: 'image storage' }, { cause: cause ?? new Error(problem) });
