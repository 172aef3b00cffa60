import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import * as z from 'zod/mini';
import { queries } from '../data/tools.calls.js';
import { importText } from '../messages/en/imports.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Page } from '../parts/page.js';
import { ScreenLink } from '../parts/screen-link.js';
import { useScreenSearch } from '../parts/screen-search.js';
import { Skeleton } from '../ui/states.js';
import { CancelImport } from './cancel-import.js';
import { CheckResult } from './check-result.js';
import { ColumnsForm } from './columns-form.js';
import { ImportEnd } from './import-end.js';
import { ImportProgress } from './import-progress.js';
import { ImportBadge, importName } from './import-state.js';
import { ImportSteps } from './import-steps.js';
import type { Import } from './mapping.js';
import { UploadStep } from './upload-step.js';

const searchPart = z.object({ step: z.optional(z.enum(['columns', 'check'])) });

const ended: readonly Import['state'][] = ['DONE', 'FAILED', 'CANCELED'];

/** One import from its file to its end; what of it is shown follows from its state, and `step` where there is a choice. */
export function ImportPage() {
  const { importId = '' } = useParams({ strict: false });
  const [{ step }, setSearch] = useScreenSearch(searchPart);
  const { data, error, refetch } = useQuery(queries.get_subscriber_import({ importId }));
  const one = data?.import;
  return (
    <Page
      title={one ? importName(one) : importText('title')}
      wide={false}
      lead={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <ScreenLink screen="subscriberImports" className="underline underline-offset-2">
            {importText('all')}
          </ScreenLink>
          {one && <ImportBadge state={one.state} />}
        </span>
      }
      actions={one && !ended.includes(one.state) && <CancelImport importId={one.id} />}
    >
      {error && <ErrorNotice error={error} isStale={one !== undefined} onRetry={() => void refetch()} />}
      {!one && !error && <Skeleton className="h-48" />}
      {one && (
        <div className="flex flex-col gap-6">
          <ImportSteps state={one.state} step={step} />
          <StepOf one={one} step={step} onStep={(next) => setSearch({ step: next })} />
        </div>
      )}
    </Page>
  );
}

function StepOf({
  one,
  step,
  onStep,
}: {
  one: Import;
  step: 'columns' | 'check' | undefined;
  onStep: (step: 'columns' | 'check') => void;
}) {
  switch (one.state) {
    case 'NEW':
    case 'UPLOADING':
      return <UploadStep one={one} />;
    case 'CHECKING':
    case 'RUNNING':
      return <ImportProgress one={one} />;
    case 'UPLOADED':
    case 'CHECKED':
      return one.check && step !== 'columns' ? (
        <CheckResult one={one} check={one.check} onBack={() => onStep('columns')} />
      ) : (
        <ColumnsForm key={one.receivedBytes} one={one} onChecking={() => onStep('check')} />
      );
    default:
      return <ImportEnd one={one} />;
  }
}
