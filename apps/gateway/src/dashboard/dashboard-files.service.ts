import { readFile } from 'node:fs/promises';
import path from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const codings = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const;
/** As Vite names files; nothing else is looked for. */
const fileName = /^[\w-]+(?:\.[\w-]+)*$/;

export interface DashboardFile {
  type: string;
  coding: string | null;
  body: Buffer;
}

/** The files that the build of the dashboard left beside this service; none where it was not built. */
export class DashboardFiles {
  /** @param folder with index.html and assets/, as the build leaves them; null serves nothing */
  constructor(private readonly folder: string | null) {}

  /** The page that every address of the dashboard shows; null without a build. */
  async index(): Promise<Buffer | null> {
    return this.folder === null ? null : await readOptional(path.join(this.folder, 'index.html'));
  }

  /**
   * Reads a hashed file in the best coding that the client takes.
   * @param acceptEncoding the header of that name (RFC 9110, section 12.5.3)
   * @returns null for a name that the build did not make
   */
  async read(name: string, acceptEncoding: string): Promise<DashboardFile | null> {
    const type = types[path.extname(name)];
    if (this.folder === null || type === undefined || !fileName.test(name)) return null;
    const file = path.join(this.folder, 'assets', name);
    const accepted = new Set(acceptEncoding.split(',').map((one) => one.trim()));
    for (const coding of codings) {
      if (!accepted.has(coding.name)) continue;
      const body = await readOptional(file + coding.suffix);
      if (body) return { type, coding: coding.name, body };
    }
    const body = await readOptional(file);
    return body && { type, coding: null, body };
  }
}

const readOptional = (file: string): Promise<Buffer | null> =>
  readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
