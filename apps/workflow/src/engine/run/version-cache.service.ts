import type { Sql } from '#database';
import { VersionRepository } from '../store/version.repository.js';
import { CompiledVersion } from '../../rules/compiled-version.js';

/** Most versions in memory: the templates of one may take 100 KB and more. */
const keptMax = 500;

export class VersionCache {
  readonly #kept = new Map<string, CompiledVersion>();

  /** @throws Error for an unknown version, which is a defect: versions with runs are never deleted */
  async get(
    sql: Sql,
    organizationId: string,
    { workflowId, version }: { workflowId: string; version: number },
  ): Promise<CompiledVersion> {
    const key = `${organizationId} ${workflowId} ${version}`;
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const found = await new VersionRepository(sql).find(organizationId, { workflowId, version });
    if (!found) throw new Error(`there is no version ${version} of ${workflowId}`);
    const live = new CompiledVersion(workflowId, version, found.draft, found.emails);
    this.#kept.set(key, live);
    if (this.#kept.size > keptMax) this.#kept.delete(this.#kept.keys().next().value!);
    return live;
  }
}
