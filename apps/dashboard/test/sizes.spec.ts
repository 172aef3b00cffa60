import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

interface Chunk {
  file: string;
  isEntry?: boolean;
  imports?: string[];
  css?: string[];
}

const folder = path.join(process.env.TIDINGS_BUILD_DIR!, 'apps/dashboard/public');
const manifest = JSON.parse(readFileSync(path.join(folder, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;
const entry = Object.keys(manifest).find((name) => manifest[name]!.isEntry)!;

/** Bytes of files as a browser receives them with gzip, in kB. */
const kilobytes = (files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + readFileSync(path.join(folder, `${file}.gz`)).length, 0) / 1000;

/** A chunk and all that it needs before it runs. */
function filesOf(name: string, found = new Set<string>()): Set<string> {
  const { file, imports = [] } = manifest[name]!;
  if (!found.has(file)) {
    found.add(file);
    for (const one of imports) filesOf(one, found);
  }
  return found;
}

const shell = filesOf(entry);

describe('the built dashboard', () => {
  it('has a shell of at most 130 kB, home and sign-in included', () => {
    const pages = Object.keys(manifest).filter((name) => /(?:home|sign-in)\.page\.tsx$/.test(name));
    expect(pages).toHaveLength(2);
    for (const page of pages) expect(kilobytes(new Set([...shell, ...filesOf(page)]))).toBeLessThanOrEqual(130);
  });

  it('has a style sheet of at most 20 kB', () => {
    expect(kilobytes(manifest[entry]!.css!)).toBeLessThanOrEqual(20);
  });

  it('adds at most 90 kB for the graph of a workflow, in chunks of its own', () => {
    const build = filesOf('src/workflows/workflow-build.page.tsx');
    const own = [...filesOf('src/workflows/flow-canvas.tsx')].filter((file) => !shell.has(file) && !build.has(file));
    const { css = [] } = manifest['src/workflows/flow-canvas.tsx']!;
    const workers = readdirSync(path.join(folder, 'assets')).filter((name) => /^layout-worker-.*\.js$/.test(name));
    expect(workers).toHaveLength(1);
    expect(kilobytes([...own, ...css, `assets/${workers[0]}`])).toBeLessThanOrEqual(90);
    expect([...build]).not.toContain(manifest['src/workflows/flow-canvas.tsx']!.file);
  });

  it('loads the editor of mails with the first mail of a step, and not with the workflow', () => {
    const build = filesOf('src/workflows/workflow-build.page.tsx');
    const mail = manifest['src/workflows/step-mail.tsx']!.file;
    expect([...build]).not.toContain(mail);
    const own = [...filesOf('src/workflows/step-mail.tsx')].filter((file) => !shell.has(file) && !build.has(file));
    expect(kilobytes(own)).toBeLessThanOrEqual(320);
  });

  it.each(Object.keys(manifest).filter((name) => /\.page\.tsx$/.test(name)))('adds at most 60 kB for %s', (page) => {
    // The renderer of mails and the editor may take 320 kB once a campaign or snippet is open.
    const limit = /campaign-(?:write|review|history)|snippet[.]page/.test(page) ? 320 : 60;
    const own = [...filesOf(page)].filter((file) => !shell.has(file));
    expect(kilobytes(own)).toBeLessThanOrEqual(limit);
  });
});
