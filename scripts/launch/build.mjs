import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildDashboard, isDashboardFile } from './build-dashboard.mjs';
import { childEnvironment } from './paths.mjs';
import { isRunning, ownRecord, readJson, writeJson } from './process-record.mjs';
import { LaunchError, progress } from './terminal.mjs';

const SOURCE_FOLDERS = ['apps', 'libs', 'bench', 'demo', 'faults', 'scripts'];
const SETTINGS_FILES = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];

/** Files beside the code that it reads at run time. */
const ASSET = /(^|\/)assets\/|\.(sql|json|csv|md)$/;

/** What Vite reads; its tests and pictures are no part of a build. */
const DASHBOARD_SOURCE =
  /^apps\/dashboard\/(src\/.*\.(tsx?|css|svg)|index\.html|vite\.config\.mjs|tsconfig\.json|package\.json)$/;

const BUNDLER = fileURLToPath(new URL('bundle-services.mjs', import.meta.url));

const BUILDS_KEPT = 3;
/** What the compiler noted of a build, for the next one. */
const BUILD_INFO = '.tsbuildinfo';
const ABANDONED_AFTER_MS = 3_600_000;

/** `#contracts` and its like inside a build. */
export const BUILD_PACKAGE = { type: 'module', imports: { '#*': './libs/*/src/index.js' } };

/**
 * Compiles the checkout into a folder named by what went into it, unless that folder is there. The folder appears
 * whole, so launchers that build at once do not meet each other's halves; this process is noted as its user.
 * @param {string} root the checkout
 * @param {{ signal?: AbortSignal | undefined }} [options] signal: ends the compiler
 * @returns {Promise<string>} the folder, absolute
 */
export async function build(root, { signal } = {}) {
  const builds = path.join(root, '.build');
  const files = sourcesOf(root);
  const name = hashOf(root, files);
  const folder = path.join(builds, name);
  mkdirSync(path.join(builds, 'users'), { recursive: true });
  writeJson(path.join(builds, 'users', `${process.pid}.json`), { ...ownRecord(), build: name });

  if (!existsSync(folder)) await progress('compiling', () => compileInto(folder, { root, files, signal }));
  utimesSync(folder, new Date(), new Date());
  removeOldBuilds(builds);
  return folder;
}

/** @param {string} folder @param {{ root: string, files: string[], signal: AbortSignal | undefined }} sources */
async function compileInto(folder, { root, files, signal }) {
  const draft = path.join(path.dirname(folder), `draft-${randomUUID()}`);
  const info = path.join(draft, BUILD_INFO);
  try {
    copyNewestBuild(path.dirname(folder), draft);
    removeOutputsWithoutSource(draft, files);
    await Promise.all([
      compile(root, ['--outDir', draft, '--incremental', '--tsBuildInfoFile', info], signal),
      ...(files.includes('apps/dashboard/index.html')
        ? [buildDashboard(root, { files, into: path.join(draft, 'apps/dashboard/public'), signal })]
        : []),
    ]);
    for (const file of files.filter(isAsset)) {
      cpSync(path.join(root, file), path.join(draft, file));
    }
    writeFileSync(path.join(draft, 'package.json'), JSON.stringify(BUILD_PACKAGE));
    await bundle(root, draft, signal);
    renameSync(draft, folder);
  } catch (error) {
    // Another launcher was faster with the same sources.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * In a process of its own: a start that finds its build does not load the bundler.
 * @param {string} root @param {string} draft @param {AbortSignal | undefined} signal
 */
async function bundle(root, draft, signal) {
  await promisify(execFile)(process.execPath, [BUNDLER, root, draft], { env: childEnvironment(), signal });
}

/** The compiler then only works on what changed since that build. @param {string} builds @param {string} draft */
function copyNewestBuild(builds, draft) {
  const [newest] = buildsOf(builds).filter(({ name }) => existsSync(path.join(builds, name, BUILD_INFO)));
  if (!newest) return;
  const isCompiled = (/** @type {string} */ file) => !file.endsWith(`${path.sep}dashboard${path.sep}public`);
  cpSync(path.join(builds, newest.name), draft, { recursive: true, filter: isCompiled });
}

/** @param {string} draft @param {string[]} files the sources */
function removeOutputsWithoutSource(draft, files) {
  if (!existsSync(draft)) return;
  const outputs = files.flatMap((file) => [file.replace(/\.ts$/, '.js'), file.replace(/\.ts$/, '.js.map')]);
  const wanted = new Set([BUILD_INFO, 'package.json', ...outputs]);
  for (const entry of readdirSync(draft, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile() && !wanted.has(path.relative(draft, file).replaceAll(path.sep, '/'))) rmSync(file);
  }
}

/**
 * @param {string} root
 * @param {string[]} options of the compiler
 * @param {AbortSignal | undefined} [signal] ends it
 */
export async function compile(root, options, signal) {
  const compiler = path.join(root, 'node_modules/ts7/bin/tsc');
  try {
    await promisify(execFile)(process.execPath, [compiler, '-p', 'tsconfig.build.json', ...options], {
      cwd: root,
      env: childEnvironment(),
      maxBuffer: 1e8,
      signal,
    });
  } catch (error) {
    const { stdout = '', stderr = '' } = /** @type {{ stdout?: string, stderr?: string }} */ (error);
    throw new LaunchError(`The sources do not compile:\n${(stdout + stderr).trim() || error}`);
  }
}

/**
 * What a build is made of: sources and assets, without tests.
 * @param {string} root
 */
export function sourcesOf(root) {
  return SOURCE_FOLDERS.filter((name) => existsSync(path.join(root, name)))
    .flatMap((name) => filesBelow(root, name))
    .filter(isSource)
    .sort();
}

/** Whether a file is part of a build. @param {string} file */
export function isSource(file) {
  if (/\.spec\.tsx?$/.test(file)) return false;
  if (isDashboardFile(file)) return DASHBOARD_SOURCE.test(file);
  return /\.ts$/.test(file) || isAsset(file);
}

/** Whether a file is copied as it is: the code reads it at run time. @param {string} file */
export function isAsset(file) {
  return ASSET.test(file) && !isDashboardFile(file);
}

/** @param {string} root @param {string} folder @returns {string[]} paths with slashes, below root */
function filesBelow(root, folder) {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules') return [];
    const name = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(root, name) : [name];
  });
}

/** @param {string} root @param {string[]} files */
function hashOf(root, files) {
  const hash = createHash('sha256');
  for (const builder of [fileURLToPath(import.meta.url), BUNDLER]) hash.update(readFileSync(builder));
  for (const file of [...SETTINGS_FILES, ...files]) {
    const content = readFileSync(path.join(root, file));
    hash.update(`\n${file} ${content.length}\n`).update(content);
  }
  return hash.digest('hex').slice(0, 16);
}

/** Keeps the newest builds, and those a living launcher runs from. @param {string} builds */
function removeOldBuilds(builds) {
  const usersFolder = path.join(builds, 'users');
  const used = new Set();
  for (const name of readdirSync(usersFolder)) {
    const user = /** @type {any} */ (readJson(path.join(usersFolder, name)));
    if (isRunning(user)) used.add(user.build);
    else rmSync(path.join(usersFolder, name), { force: true });
  }
  const drafts = agesOf(builds, /^draft-/).filter(({ at }) => at < Date.now() - ABANDONED_AFTER_MS);
  const old = buildsOf(builds).slice(BUILDS_KEPT);
  for (const { name } of [...drafts, ...old.filter((one) => !used.has(one.name))]) {
    rmSync(path.join(builds, name), { recursive: true, force: true });
  }
}

/** @param {string} builds @returns {{ name: string, at: number }[]} the newest first */
const buildsOf = (builds) => agesOf(builds, /^[0-9a-f]{16}$/);

/** @param {string} builds @param {RegExp} form */
const agesOf = (builds, form) =>
  readdirSync(builds)
    .filter((name) => form.test(name))
    .map((name) => ({ name, at: statSync(path.join(builds, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.at - a.at);
