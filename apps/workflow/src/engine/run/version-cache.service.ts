import { SizedCache } from '#content';
import type { Sql } from '#database';
import { VersionRepository } from '../store/version.repository.js';
import { CompiledVersion } from '../../rules/compiled-version.js';

/** Characters of JSON of all versions; in memory it is two to four times that. */
const keptMax = 16_000_000;

/** Keeps the workflow versions used last, bounded by their size: the templates of one may take 100 KB and more. */
export class VersionCache {
  readonly #kept = new SizedCache<string, { version: CompiledVersion; size: number }>(keptMax, ({ size }) => size);

  get cache(): Pick<SizedCache<string, unknown>, 'size' | 'evictions'> {
    return this.#kept;
  }

  /** @throws Error for an unknown version, which is a defect: versions with runs are never deleted */
  async get(
    sql: Sql,
    organizationId: string,
    { workflowId, version }: { workflowId: string; version: number },
  ): Promise<CompiledVersion> {
    const key = `${organizationId} ${workflowId} ${version}`;
    const kept = this.#kept.get(key);
    if (kept) return kept.version;
    const found = await new VersionRepository(sql).find(organizationId, { workflowId, version });
    if (!found) throw new Error(`there is no version ${version} of ${workflowId}`);
    const live = new CompiledVersion(workflowId, version, found.draft, found.emails);
    this.#kept.set(key, { version: live, size: JSON.stringify(found).length });
    return live;
  }
}
