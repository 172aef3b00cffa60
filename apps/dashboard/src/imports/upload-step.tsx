import { useState } from 'react';
import { importText } from '../messages/en/imports.js';
import { bytes } from '../messages/format-bytes.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Bar } from '../ui/bar.js';
import { Callout } from '../ui/states.js';
import { FileChoice } from './file-choice.js';
import { otherFile, problemOf } from './file-rules.js';
import { useUploads } from './import-files.js';
import { importName } from './import-state.js';
import type { Import } from './mapping.js';
import { useUpload } from './uploads.js';
import type { RunningUpload } from './uploads.js';

/** The file on its way: from this tab, or from another one, whose upload can be taken over with the same file. */
export function UploadStep({ one }: { one: Import }) {
  const upload = useUpload(one.id);
  if (upload && upload.error === undefined) return <Sending upload={upload} />;
  return <GoOn one={one} error={upload?.error} />;
}

function Sending({ upload: { name, size, receivedBytes, isWaiting } }: { upload: RunningUpload }) {
  const label = importText('upload.running', { name });
  return (
    <section aria-label={label} className="flex flex-col gap-2">
      <p className="flex flex-wrap justify-between gap-x-4">
        <span className="min-w-0 wrap-anywhere">{label}</span>
        <span className="text-soft tabular">
          {importText('upload.bytes', { done: bytes(receivedBytes), size: bytes(size) })}
        </span>
      </p>
      <Bar share={receivedBytes / size} label={label} />
      {isWaiting ? (
        <Callout tone="warn">{importText('upload.waiting')}</Callout>
      ) : (
        <p className="text-sm text-soft">{importText('upload.stays')}</p>
      )}
    </section>
  );
}

/** What an upload that this tab does not carry out needs: the same file. */
function GoOn({ one, error }: { one: Import; error: unknown }) {
  const start = useUploads();
  const [problem, setProblem] = useState<string | null>(null);
  const choose = (file: File) => {
    const found = problemOf(file) ?? otherFile(one, file);
    setProblem(found);
    if (found === null) start(one.id, file);
  };
  const { receivedBytes } = one;
  return (
    <section className="flex flex-col gap-3">
      <p>
        {receivedBytes > 0 ? importText('upload.elsewhere', { size: bytes(receivedBytes) }) : importText('upload.none')}
      </p>
      <p className="max-w-prose text-soft">{importText('upload.goOn', { name: importName(one) })}</p>
      {error !== undefined && <ErrorNotice error={error} />}
      {problem !== null && <Callout tone="bad">{problem}</Callout>}
      <FileChoice label={importText('upload.goOnButton')} onFile={choose} />
    </section>
  );
}
