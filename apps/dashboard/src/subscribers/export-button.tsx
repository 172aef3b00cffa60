import { useState } from 'react';
import type { ToolInput } from '#client';
import { reportFailure } from '../data/report-failure.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { subscriberText } from '../messages/en/subscribers.js';
import { Button } from '../ui/button.js';
import { ExportDialog } from './export-dialog.js';

/** Exports what the list shows, all pages of it, as CSV. */
export function ExportButton({ input }: { input: ToolInput<'create_subscriber_export'> }) {
  const [exportId, setExportId] = useState<string | null>(null);
  const create = useAction(actions.create_subscriber_export());
  const start = async () => {
    try {
      const started = await create.run(input);
      setExportId(started.exportId);
    } catch (error) {
      reportFailure(error);
    }
  };
  return (
    <>
      <Button icon="download" busy={create.isPending} onClick={() => void start()}>
        <span className="max-sm:sr-only">{subscriberText('export.button')}</span>
      </Button>
      {exportId !== null && (
        <ExportDialog exportId={exportId} title={subscriberText('export.title')} onClose={() => setExportId(null)} />
      )}
    </>
  );
}
