import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { childEnvironment } from './paths.mjs';
import { LaunchError } from './terminal.mjs';

/** Files that the dashboard is made of, beside its packages. */
const SOURCES =
  /^(apps\/dashboard\/(src\/|index\.html$|vite\.config\.mjs$|package\.json$)|libs\/(client|contracts|content)\/src\/)/;
const PACKAGES = 'package-lock.json';
const KEPT = 3;

/** Whether a file is part of the dashboard rather than of a service. @param {string} file */
export const isDashboardFile = (file) => file.startsWith('apps/dashboard/');

/** Whether a change of a file changes the dashboard. @param {string} file */
export const concernsDashboard = (file) => SOURCES.test(file) && !/\.spec\.tsx?$/.test(file);

/**
 * Puts the built dashboard into a folder. An equal one that was built before is copied.
 * @param {string} root the checkout
 * @param {{ files: string[], into: string, signal?: AbortSignal | undefined }} options files: of the checkout; into: for
 *   index.html and assets/
 */
export async function buildDashboard(root, { files, into, signal }) {
  const builds = path.join(root, '.build');
  const folder = path.join(builds, `dashboard-${hashOf(root, files.filter(concernsDashboard))}`);
  if (!existsSync(folder)) {
    const draft = path.join(builds, `draft-dashboard-${randomUUID()}`);
    try {
      await runVite(root, draft, signal);
      compress(path.join(draft, 'assets'));
      renameSync(draft, folder);
    } catch (error) {
      // Another launcher was faster with the same sources.
      if (!existsSync(folder)) throw error;
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
    removeOld(builds);
  }
  rmSync(into, { recursive: true, force: true });
  cpSync(folder, into, { recursive: true });
}

/** @param {string} root @param {string} folder @param {AbortSignal | undefined} signal */
async function runVite(root, folder, signal) {
  const vite = path.join(root, 'node_modules/vite/bin/vite.js');
  try {
    await promisify(execFile)(process.execPath, [vite, 'build', 'apps/dashboard', '--outDir', folder], {
      cwd: root,
      env: childEnvironment({ NODE_ENV: 'production' }),
      maxBuffer: 1e8,
      signal,
    });
  } catch (error) {
    const { stdout = '', stderr = '' } = /** @type {{ stdout?: string, stderr?: string }} */ (error);
    throw new LaunchError(`The dashboard does not build:\n${(stdout + stderr).trim() || error}`);
  }
}

/** Leaves a Brotli and a gzip copy beside each file, so that the gateway never compresses. @param {string} folder */
function compress(folder) {
  for (const name of readdirSync(folder)) {
    if (!/\.(js|css|svg)$/.test(name)) continue;
    const content = readFileSync(path.join(folder, name));
    writeFileSync(path.join(folder, `${name}.gz`), gzipSync(content, { level: 9 }));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
    writeFileSync(path.join(folder, `${name}.br`), brotliCompressSync(content, { params }));
  }
}

/** @param {string} root @param {string[]} files */
function hashOf(root, files) {
  const hash = createHash('sha256');
  for (const file of [PACKAGES, ...files]) hash.update(`\n${file}\n`).update(readFileSync(path.join(root, file)));
  return hash.digest('hex').slice(0, 16);
}

/** @param {string} builds */
function removeOld(builds) {
  const old = readdirSync(builds)
    .filter((name) => /^dashboard-[0-9a-f]{16}$/.test(name))
    .map((name) => ({ name, at: statSync(path.join(builds, name)).mtimeMs }))
    .sort((a, b) => b.at - a.at)
    .slice(KEPT);
  for (const { name } of old) rmSync(path.join(builds, name), { recursive: true, force: true });
}
