import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { isNewEnough, NATS_VERSION_MIN } from './nats-probe.mjs';
import { childEnvironment } from './paths.mjs';

const run = promisify(execFile);

/** Releases whose package is too old, and the next one whose binary runs there (tried: 2.10.27 of 13 on 12). */
const NEWER_RELEASE = /** @type {Record<string, string>} */ ({ bullseye: 'trixie', bookworm: 'trixie' });

/**
 * Takes nats-server out of the distribution's package without installing it: apt with lists, state and cache of its
 * own, so that neither root nor the machine's settings are touched.
 * @param {string} folder receives the binary; exists
 */
export async function fetchNatsPackage(folder) {
  const codename = /^VERSION_CODENAME=(.*)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1];
  if (!codename) throw new Error('/etc/os-release names no release');
  const release = NEWER_RELEASE[codename] ?? codename;
  const sources = sourcesFor(codename, release);
  if (sources.length === 0) throw new Error(`apt's source lists name no mirror for ${codename}`);

  const draft = path.join(folder, `apt-${process.pid}`);
  try {
    const settings = writeAptSettings(draft, sources);
    const apt = (/** @type {string} */ command, /** @type {string[]} */ ...args) =>
      run(command, ['-c', settings, ...args], { cwd: draft, env: childEnvironment({ LC_ALL: 'C' }), maxBuffer: 1e8 });
    await apt('apt-get', '-qq', 'update');
    const { stdout: candidates } = await apt('apt-cache', 'madison', 'nats-server');
    const version = candidates
      .split('\n')
      .map((line) => line.split('|')[1]?.trim() ?? '')
      .find((candidate) => isNewEnough(candidate));
    if (!version) {
      const offered = candidates.trim() ? `only ${candidates.split('|')[1]?.trim()}` : 'no nats-server';
      throw new Error(`${release} has ${offered}; ${NATS_VERSION_MIN} or newer is needed`);
    }
    await apt('apt-get', '-qq', 'download', `nats-server=${version}`);
    const file = readdirSync(draft).find((name) => name.endsWith('.deb'));
    if (!file) throw new Error('apt left no package');
    await run('dpkg', ['-x', file, 'unpacked'], { cwd: draft, env: childEnvironment() });
    const binary = path.join(folder, `nats-server-${version.split('-')[0]}`);
    renameSync(path.join(draft, 'unpacked/usr/sbin/nats-server'), binary);
    return binary;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** @param {string} draft @param {string[]} sources */
function writeAptSettings(draft, sources) {
  for (const name of ['lists/partial', 'cache/archives/partial'])
    mkdirSync(path.join(draft, name), { recursive: true });
  writeFileSync(path.join(draft, 'sources.list'), `${sources.join('\n')}\n`);
  writeFileSync(path.join(draft, 'status'), '');
  const settings = path.join(draft, 'apt.conf');
  // The machine's own configuration (proxies, keys, mirrors' certificates) is read before this file and stays in force.
  writeFileSync(
    settings,
    [
      `Dir::State "${draft}";`,
      `Dir::State::lists "${draft}/lists";`,
      `Dir::State::status "${draft}/status";`,
      `Dir::Cache "${draft}/cache";`,
      `Dir::Etc::sourcelist "${draft}/sources.list";`,
      'Dir::Etc::sourceparts "/dev/null";',
      'Acquire::Languages "none";',
      'APT::Sandbox::User "";',
      '#clear APT::Update::Pre-Invoke;',
      '#clear APT::Update::Post-Invoke;',
      '#clear APT::Update::Post-Invoke-Success;',
      '',
    ].join('\n'),
  );
  return settings;
}

/**
 * One-line sources of the wanted release at the mirrors this machine uses for its own.
 * @param {string} codename
 * @param {string} release
 */
function sourcesFor(codename, release) {
  const files = ['/etc/apt/sources.list', ...partsOf('/etc/apt/sources.list.d')].filter((file) => existsSync(file));
  const entries = files.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    return file.endsWith('.sources') ? parseDeb822(text) : parseOneLine(text);
  });
  return entries
    .filter(({ suite, components }) => suite === codename && components.length > 0)
    .map(({ uri, components, signedBy }) => {
      const options = ['target=Packages', ...(signedBy ? [`signed-by=${signedBy}`] : [])];
      return `deb [${options.join(' ')}] ${uri} ${release} ${components.join(' ')}`;
    });
}

/** @param {string} folder */
function partsOf(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /\.(list|sources)$/.test(name))
    .map((name) => path.join(folder, name));
}

/** @typedef {{ uri: string, suite: string, components: string[], signedBy: string | undefined }} Source */

/**
 * sources.list(5), one-line style: `deb [options] uri suite component…`.
 * @param {string} text
 * @returns {Source[]}
 */
export function parseOneLine(text) {
  return text.split('\n').flatMap((line) => {
    const match = /^deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)((?:\s+[^\s#]+)*)/.exec(line.trim());
    if (!match) return [];
    const [, options = '', uri = '', suite = '', components = ''] = match;
    const signedBy = /(?:^|\s)signed-by=(\S+)/i.exec(options)?.[1];
    return [{ uri, suite, components: words(components), signedBy }];
  });
}

/**
 * sources.list(5), deb822 style: stanzas of fields; a field goes on in lines that begin with white space.
 * @param {string} text
 * @returns {Source[]}
 */
export function parseDeb822(text) {
  const stanzas = text.replace(/^#.*\n?/gm, '').split(/\n\s*\n/);
  return stanzas.flatMap((stanza) => {
    const fields = new Map(
      [...stanza.matchAll(/^([\w-]+):((?:.*)(?:\n[ \t]+.*)*)/gm)].map(([, name, value]) => [
        String(name).toLowerCase(),
        String(value).trim(),
      ]),
    );
    const all = (/** @type {string} */ name) => words(fields.get(name) ?? '');
    if (!all('types').includes('deb') || /^(no|false|0)$/i.test(fields.get('enabled') ?? '')) return [];
    // A key written into the file itself has no name to pass on; apt's trusted keys have to do.
    const signedBy = all('signed-by').find((name) => name.startsWith('/'));
    return all('uris').flatMap((uri) =>
      all('suites').map((suite) => ({ uri, suite, components: all('components'), signedBy })),
    );
  });
}

/** @param {string} text */
function words(text) {
  return text.split(/\s+/).filter(Boolean);
}
