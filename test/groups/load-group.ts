import { jest } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The longest that a spec sets for its tests. */
const limitMs = 400_000;

/** Specs that are loaded together, by the name of the group: the number of parts, and an expression for their paths. */
export const groups = JSON.parse(readFileSync('test/groups/groups.json', 'utf8')) as Record<
  string,
  { parts: number; specs: string }
>;

/** The specs of one part of a group, by path. @param part from 1 */
export function specsOf(name: string, part: number): string[] {
  const { parts, specs } = groups[name]!;
  const ofGroup = new RegExp(`^${specs}`);
  return ['apps', 'libs', 'test']
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.spec.ts') && !file.includes('node_modules'))
        .sort()
        .map((file) => join(folder, file)),
    )
    .filter((file) => ofGroup.test(file))
    .filter((_spec, place) => place % parts === part - 1);
}

/**
 * Loads the specs of one part of a group into one module registry: a registry for each file would take most of the time
 * of the whole run.
 * @param part from 1
 */
export async function loadGroup(name: string, part: number): Promise<void> {
  for (const spec of specsOf(name, part)) await import(resolve(spec));
  // The last spec that sets a limit would set it for all.
  jest.setTimeout(limitMs);
}
