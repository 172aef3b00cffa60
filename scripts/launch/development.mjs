import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, watch as watchFolder, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildDashboard, concernsDashboard, isDashboardFile } from './build-dashboard.mjs';
import { BUILD_PACKAGE, compile, isAsset, isSource, sourcesOf } from './build.mjs';
import { tryLock } from './file-lock.mjs';
import { messageOf } from './paths.mjs';
import { LaunchError, progress, say } from './terminal.mjs';

/** Editors write a file in several steps, and a checkout of another branch writes many. */
const SETTLED_AFTER_MS = 60;
const WATCHED_FOLDERS = ['apps', 'libs'];
const TEST_FOLDER = /^[^/]+\/[^/]+\/test\//;

/**
 * What `npm run dev` works with: a folder that is compiled into again and again, only what changed.
 * @typedef {object} Development
 * @property {string} folder the compiled project
 * @property {(replace: (services: string[]) => Promise<void>) => void} watch compiles what changes from here on
 * @property {() => void} stop
 */

/**
 * Compiles the checkout for development. What an earlier run compiled is used again.
 * @param {string} root the checkout
 * @param {{ signal?: AbortSignal | undefined }} [options] signal: ends the compiler
 * @returns {Promise<Development>}
 */
export async function prepareDevelopment(root, { signal } = {}) {
  const folder = path.join(root, '.build/dev');
  mkdirSync(folder, { recursive: true });
  const lock = tryLock(path.join(root, '.build/dev.lock'));
  if ('holder' in lock) {
    throw new LaunchError(`\`npm run dev\` already runs in this checkout (process ${lock.holder.pid}).`);
  }
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(BUILD_PACKAGE));
  const recompile = () => compileInto(folder, { root, signal });
  const rebuildDashboard = async () => {
    const files = sourcesOf(root);
    const into = path.join(folder, 'apps/dashboard/public');
    if (files.includes('apps/dashboard/index.html')) await buildDashboard(root, { files, into, signal });
  };
  await progress('compiling', () => Promise.all([recompile(), rebuildDashboard()])).catch((error) => {
    lock.release();
    throw error;
  });
  copyAssets(root, folder, sourcesOf(root).filter(isAsset));
  /** @type {import('node:fs').FSWatcher[]} */
  const watchers = [];
  return {
    folder,
    watch: (replace) => {
      const rebuild = rebuilder({ root, folder, recompile, rebuildDashboard, replace });
      for (const name of WATCHED_FOLDERS) {
        watchers.push(
          watchFolder(path.join(root, name), { recursive: true }, (_event, file) => file && rebuild(`${name}/${file}`)),
        );
      }
      say(`Watching ${WATCHED_FOLDERS.join(' and ')} for changes.`);
    },
    stop: () => {
      for (const watcher of watchers) watcher.close();
      lock.release();
    },
  };
}

/** @param {string} folder @param {{ root: string, signal: AbortSignal | undefined }} options */
async function compileInto(folder, { root, signal }) {
  const options = [
    '--outDir',
    folder,
    '--incremental',
    '--tsBuildInfoFile',
    `${folder}.tsbuildinfo`,
    '--noEmitOnError',
  ];
  await compile(root, options, signal);
}

/**
 * Called with each changed file; compiles once they have settled. What changes meanwhile comes next. Files of a failed
 * compilation are kept: the next success concerns their services too.
 * @param {{ root: string, folder: string, recompile: () => Promise<void>, rebuildDashboard: () => Promise<void>,
 *   replace: (services: string[]) => Promise<void> }} parts
 * @returns {(file: string) => void}
 */
function rebuilder({ root, folder, recompile, rebuildDashboard, replace }) {
  /** @type {Set<string>} */
  const changed = new Set();
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  let isWanted = false;
  let isBusy = false;
  const rebuild = async () => {
    const files = [...changed];
    changed.clear();
    const startedAt = Date.now();
    try {
      if (files.some((file) => !isAsset(file) && !isDashboardFile(file))) await recompile();
      // The gateway reads the files of the dashboard at each request.
      if (files.some(concernsDashboard)) await rebuildDashboard();
      const assets = files.filter((file) => isAsset(file) && existsSync(path.join(root, file)));
      copyAssets(root, folder, assets);
      const services = servicesConcerned(root, files);
      await replace(services);
      const seconds = (Date.now() - startedAt) / 1000;
      const what = services.length > 0 ? `${services.join(', ')} restarted` : 'no service restarted';
      say(`✓ ${files.join(', ')}: ${what} (${seconds.toFixed(1)} s)`, { services, seconds });
    } catch (error) {
      for (const file of files) changed.add(file);
      say(`${messageOf(error)}\nThe services go on with what was compiled before.`, { level: 'error' });
    }
  };
  const rebuildWhileWanted = async () => {
    isWanted = true;
    if (isBusy) return;
    isBusy = true;
    while (isWanted) {
      isWanted = false;
      await rebuild();
    }
    isBusy = false;
  };
  return (file) => {
    const name = file.split(path.sep).join('/');
    if (!isSource(name) || TEST_FOLDER.test(name)) return;
    changed.add(name);
    clearTimeout(timer);
    timer = setTimeout(rebuildWhileWanted, SETTLED_AFTER_MS);
  };
}

/** @param {string} root @param {string} folder @param {string[]} files */
function copyAssets(root, folder, files) {
  for (const file of files) cpSync(path.join(root, file), path.join(folder, file));
}

/**
 * The services that run a changed file: their own, and those that import its library, also through another library.
 * @param {string} root
 * @param {string[]} files
 * @returns {string[]} names below apps
 */
export function servicesConcerned(root, files) {
  const places = new Set(files.map((file) => file.split('/').slice(0, 2).join('/')));
  const services = readdirSync(path.join(root, 'apps')).filter((name) =>
    existsSync(path.join(root, 'apps', name, 'src/main.ts')),
  );
  return services.filter((name) => [...reachedFrom(root, `apps/${name}`)].some((place) => places.has(place)));
}

/** The app or library and all libraries that it imports. @param {string} root @param {string} start */
function reachedFrom(root, start) {
  const reached = new Set([start]);
  for (const place of reached) for (const lib of libsImportedBy(path.join(root, place))) reached.add(`libs/${lib}`);
  return reached;
}

/** @param {string} folder @returns {Set<string>} */
function libsImportedBy(folder) {
  const libs = new Set();
  if (!existsSync(folder)) return libs;
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!entry.endsWith('.ts') || !isSource(entry) || entry.startsWith('test/')) continue;
    const text = readFileSync(path.join(folder, entry), 'utf8');
    // A type leaves no import behind.
    for (const [, lib] of text.matchAll(/^(?:import|export) (?!type )[^;]*?from '#([a-z-]+)'/gm)) libs.add(lib);
    for (const [, lib] of text.matchAll(/\bimport\('#([a-z-]+)'\)/g)) libs.add(lib);
  }
  return libs;
}
