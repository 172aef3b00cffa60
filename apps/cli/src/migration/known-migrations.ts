import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const build = new URL('../../../../', import.meta.url);

/** Numbers of this version's migrations by schema, from the files beside the compiled services. */
export function knownMigrations(): Record<string, string[]> {
  const shared = filesOf(new URL('libs/database/src/', build)).flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    return [...text.matchAll(/class \w+?(\d{13})\b/g)].map((match) => match[1]!);
  });
  const services = ['domain', 'subscriber', 'campaign', 'workflow', 'delivery'];
  return Object.fromEntries(
    services.map((service) => {
      const own = filesOf(new URL(`apps/${service}/migrations/`, build)).flatMap(
        (file) => /(\d{13})-/.exec(file)?.[1] ?? [],
      );
      return [service, [...own, ...shared]];
    }),
  );
}

const filesOf = (folder: URL): string[] => {
  const path = fileURLToPath(folder);
  return existsSync(path)
    ? readdirSync(path).flatMap((name) => (/(?<!\.d)\.[jt]s$/.test(name) ? [`${path}${name}`] : []))
    : [];
};
