import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const groups = JSON.parse(readFileSync('test/groups/groups.json', 'utf8')) as Record<
  string,
  { parts: number; folders: string[] }
>;

/**
 * Loads the specs of one part of a group, each as it is, into one module registry: loading everything anew for each
 * file would take most of the time of the whole run.
 * @param part from 1
 */
export async function loadGroup(name: string, part: number): Promise<void> {
  const { parts, folders } = groups[name]!;
  const specs = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.spec.ts') && !file.includes('node_modules'))
      .sort()
      .map((file) => join(folder, file)),
  );
  for (const [place, spec] of specs.entries()) if (place % parts === part - 1) await import(resolve(spec));
}
