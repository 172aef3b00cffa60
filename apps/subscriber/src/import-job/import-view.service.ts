import type { Data, subscriberImportTools } from '#contracts';
import type { PublicLinks } from '../link/public-links.service.js';
import { importKeptDays } from './import.repository.js';
import type { ImportRecord } from './import.repository.js';

export type ImportView = Data<(typeof subscriberImportTools)['calls']['cancel_subscriber_import']>['import'];

export function importView(record: ImportRecord, organizationId: string, links: PublicLinks): ImportView {
  const { id, name, state, receivedBytes, rows, counts, failure, startedBy } = record;
  const { createdAt, startedAt, advancedAt, finishedAt } = record;
  const seconds = startedAt && advancedAt ? (advancedAt.getTime() - startedAt.getTime()) / 1000 : 0;
  const expiresAt = finishedAt && new Date(Math.floor(finishedAt.getTime() / 1000 + importKeptDays * 86_400) * 1000);
  return {
    id,
    name,
    state,
    receivedBytes,
    rows,
    ...counts,
    ratePerSecond: seconds > 0 ? Math.round(counts.done / seconds) : null,
    failure,
    ...(expiresAt !== null &&
      record.errorChunks > 0 && {
        errorsUrl: links.fileUrl(organizationId, id, expiresAt),
        errorsUrlExpiresAt: expiresAt.toISOString(),
      }),
    startedBy,
    createdAt: createdAt.toISOString(),
    startedAt: startedAt?.toISOString() ?? null,
    finishedAt: finishedAt?.toISOString() ?? null,
  };
}
