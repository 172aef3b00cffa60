import { useSyncExternalStore } from 'react';
import { listen } from '../data/listen.js';
import { currentOrganization } from '../data/session.js';
import { uploadFile } from './upload.js';
import type { UploadedFile, UploadReport } from './upload.js';

/** An upload that this tab carries out, whatever page it shows meanwhile. */
export interface RunningUpload extends UploadReport {
  name: string;
  size: number;
  /** Why it ended before the file did. */
  error?: unknown;
}

const uploads = new Map<string, { state: RunningUpload; stop: () => void }>();
const changes = listen();

function note(importId: string, change: Partial<RunningUpload>): void {
  const known = uploads.get(importId);
  if (known) uploads.set(importId, { ...known, state: { ...known.state, ...change } });
  changes.tell();
}

/**
 * Starts to send a file, or goes on with it.
 * @param onEnd is called when the whole file has arrived; until its promise settles, the upload counts as running
 */
export function startUpload(importId: string, file: UploadedFile, onEnd: () => Promise<unknown>): void {
  if (uploads.has(importId) && uploads.get(importId)?.state.error === undefined) return;
  const stop = new AbortController();
  const state = { name: file.name, size: file.size, receivedBytes: 0, isWaiting: false };
  uploads.set(importId, { state, stop: () => stop.abort() });
  changes.tell();
  const report = (part: UploadReport) => note(importId, part);
  uploadFile({ organization: currentOrganization(), importId, file, report, signal: stop.signal }).then(
    () => onEnd().finally(() => forget(importId)),
    (error: unknown) => {
      if (!stop.signal.aborted) note(importId, { error });
    },
  );
}

/** Ends an upload of this tab; what has arrived stays with the import. */
export function stopUpload(importId: string): void {
  uploads.get(importId)?.stop();
  forget(importId);
}

function forget(importId: string): void {
  uploads.delete(importId);
  changes.tell();
}

/** The upload of an import in this tab. */
export const useUpload = (importId: string): RunningUpload | undefined =>
  useSyncExternalStore(changes.add, () => uploads.get(importId)?.state);
