import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment, messageOf } from './paths.mjs';

/**
 * The project's own release, pinned. The sums are those the official container images of this version are built from
 * (nats-io/nats-docker, 2.11.x); none is published there for macOS, where Homebrew has the server.
 */
const RELEASE = {
  version: '2.11.17',
  base: 'https://github.com/nats-io/nats-server/releases/download',
  /** @type {Record<string, string>} */
  sha256: {
    'linux-amd64': 'ad608dd0ea8bbfa58c40e3b8f58ed67478eec26166ec49c502db8d17589b51b5',
    'linux-arm64': 'd21df24f262f34f8bf6d1f0bca557c08429e433fd9f60f6983105539ae517feb',
  },
};

const DOWNLOAD_MS_MAX = 120_000;

/**
 * Fetches and unpacks the release archive; answers the binary. TIDINGS_NATS_ARCHIVE_BASE names a mirror.
 * @param {string} folder receives the binary; exists
 * @param {Record<string, string>} [sums] SHA-256 by platform
 */
export async function fetchNatsArchive(folder, sums = RELEASE.sha256) {
  const platform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const expected = sums[platform];
  if (!expected) throw new Error(`no checksum is known for ${platform}`);
  const name = `nats-server-v${RELEASE.version}-${platform}`;
  const base = process.env.TIDINGS_NATS_ARCHIVE_BASE || RELEASE.base;
  const archive = await download(`${base}/v${RELEASE.version}/${name}.tar.gz`);

  const actual = createHash('sha256').update(archive).digest('hex');
  if (actual !== expected) throw new Error(`the archive's SHA-256 is ${actual}, expected was ${expected}`);

  const draft = path.join(folder, `archive-${process.pid}`);
  const binary = path.join(folder, `nats-server-${RELEASE.version}`);
  mkdirSync(draft, { recursive: true });
  try {
    writeFileSync(path.join(draft, 'archive.tar.gz'), archive);
    await promisify(execFile)('tar', ['-xzf', 'archive.tar.gz'], { cwd: draft, env: childEnvironment() });
    renameSync(path.join(draft, name, 'nats-server'), binary);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return binary;
}

/** @param {string} url */
async function download(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_MS_MAX) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
    throw new Error(`${url}: ${messageOf(error)}${cause}`);
  }
}
