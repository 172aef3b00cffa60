import { callTool } from '../data/call-tool.js';
import { isUnavailable, Refusal, refusalOf } from '../data/refusal.js';
import { askToSignIn } from '../data/prompts.js';
import { isRefreshed, sessionHeaders } from '../data/session.js';

/** Bytes of one request: what a break costs at most. */
export const sliceBytes = 4 * 1024 * 1024;
/** Milliseconds for one slice, well above what the slowest accepted connection needs. */
const sliceMs = 150_000;
/** Waits after breaks in a row; the last one repeats until the connection is back. */
const retryMs: readonly number[] = [500, 1_000, 2_000, 4_000, 8_000, 15_000];

/** What is read of a file. */
export type UploadedFile = Pick<File, 'name' | 'size' | 'slice'>;

export interface UploadReport {
  receivedBytes: number;
  /** The connection broke, and another try comes. */
  isWaiting: boolean;
}

export interface UploadOptions {
  /** The number of the organization. */
  organization: number | null;
  importId: string;
  file: UploadedFile;
  report: (state: UploadReport) => void;
  signal: AbortSignal;
  waitMs?: readonly number[];
}

/**
 * Sends a file in slices, one at a time, from the byte at which the import's file ends. The browser reads a slice from
 * the disk while it is sent, so that memory does not depend on the size of the file. After a break it goes on where the
 * file ends then, for as long as it takes.
 * @throws Refusal when the import takes no more of this file
 */
export async function uploadFile(options: UploadOptions): Promise<void> {
  const { file, report, signal, waitMs = retryMs } = options;
  let place = await receivedBytes(options);
  for (let breaks = 0; ;) {
    signal.throwIfAborted();
    report({ receivedBytes: place, isWaiting: false });
    try {
      const next = await sendSlice(options, place);
      if (next >= file.size) return report({ receivedBytes: next, isWaiting: false });
      place = next;
      breaks = 0;
    } catch (error) {
      signal.throwIfAborted();
      if (!(await mayGoOn(error))) throw error;
      report({ receivedBytes: place, isWaiting: true });
      await pause(waitMs[Math.min(breaks++, waitMs.length - 1)]!, signal);
      place = await receivedBytes(options).catch((cause: unknown) => {
        signal.throwIfAborted();
        if (isUnavailable(cause)) return place;
        throw cause;
      });
    }
  }
}

/** @returns where the file of the import ends now */
async function sendSlice({ organization, importId, file, signal }: UploadOptions, place: number): Promise<number> {
  const path = `/api/v2/imports/${importId}/file?offset=${place}&size=${file.size}`;
  const response = await fetch(path, {
    method: 'PUT',
    headers: { ...sessionHeaders(organization), 'content-type': 'text/csv' },
    body: file.slice(place, place + sliceBytes),
    signal: AbortSignal.any([signal, AbortSignal.timeout(sliceMs)]),
  }).catch((cause: unknown) => {
    throw new Refusal(0, { error: String(cause), code: 'NO_ANSWER' }, null);
  });
  const reply = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  if (!response.ok) throw refusalOf(response, reply);
  return (reply.data as { import: { receivedBytes: number } }).import.receivedBytes;
}

async function receivedBytes({ organization, importId, file, signal }: UploadOptions): Promise<number> {
  const { import: state } = await callTool('get_subscriber_import', { importId }, { organization, signal });
  return Math.min(state.receivedBytes, file.size);
}

/** A body that was broken off, or a slice that had arrived before the break. */
const broken = new Set(['OFFSET_WRONG', 'REQUEST_MALFORMED']);

async function mayGoOn(error: unknown): Promise<boolean> {
  if (!(error instanceof Refusal)) return false;
  if (error.reason === 'SESSION_ENDED') return await askToSignIn('signIn');
  return isUnavailable(error) || error.status === 429 || broken.has(error.reason ?? '') || (await isRefreshed(error));
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}
