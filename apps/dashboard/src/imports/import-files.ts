import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { refresh } from '../data/make-stale.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { useGo } from '../parts/screen-link.js';
import { nameOfFile, problemOf } from './file-rules.js';
import { startUpload } from './uploads.js';
import type { UploadedFile } from './upload.js';

/** Sends the file of an import, and shows the import again once it is there. */
export function useUploads() {
  const client = useQueryClient();
  return (importId: string, file: UploadedFile) =>
    startUpload(importId, file, () => refresh(client, ['get_subscriber_import', 'list_subscriber_imports']));
}

/** Creates an import of a file, begins to upload it, and goes to its page. */
export function useNewImport() {
  const create = useAction(actions.create_subscriber_import());
  const upload = useUploads();
  const go = useGo();
  const [problem, setProblem] = useState<string | null>(null);
  const begin = async (file: UploadedFile) => {
    const found = problemOf(file);
    setProblem(found);
    if (found !== null) return;
    const name = nameOfFile(file.name);
    const { import: created } = await create.run(name === '' ? {} : { name });
    upload(created.id, file);
    go({ screen: 'subscriberImport', params: { importId: created.id } });
  };
  return {
    begin: (file: UploadedFile) => begin(file).catch(() => undefined),
    isPending: create.isPending,
    error: create.error,
    problem,
  };
}
