import { createHash, createHmac } from 'node:crypto';

/** A request to the storage; header names in lower case, `host` among them. */
export interface StorageRequest {
  method: 'GET' | 'PUT' | 'DELETE';
  /** Encoded, from the slash on; without a query. */
  path: string;
  headers: Record<string, string>;
  body: Buffer;
}

export interface StorageKey {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
}

const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/**
 * Signs a request for S3 and compatible storage (AWS Signature Version 4, header form).
 * @returns the headers with date, hash of the body and authorization added
 */
export function signRequest(request: StorageRequest, key: StorageKey, now: Date): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const contentHash = sha256(request.body);
  const headers: Record<string, string> = {
    ...request.headers,
    'x-amz-content-sha256': contentHash,
    'x-amz-date': time,
  };
  const names = Object.keys(headers).sort();
  const signed = names.join(';');
  const lines = names.map((name) => `${name}:${headers[name]!.trim()}\n`).join('');
  const asked = [request.method, request.path, '', lines, signed, contentHash].join('\n');
  const scope = `${day}/${key.region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(asked)].join('\n');
  const dayKey = hmac(`AWS4${key.secretAccessKey}`, day);
  const signature = hmac(hmac(hmac(hmac(dayKey, key.region), 's3'), 'aws4_request'), text).toString('hex');
  const credential = `${key.accessKeyId}/${scope}`;
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential},SignedHeaders=${signed},Signature=${signature}`,
  };
}
