import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { getContainerRuntimeClient } from 'testcontainers';

/** Asks for a container engine and builds the image as a user would. */
export default async function setUp() {
  await getContainerRuntimeClient().catch(() =>
    giveUp('No container engine answers: start Docker (or point DOCKER_HOST at one) and run this again.'),
  );
  if (compose(['version', '--short'], 'ignore') !== 0)
    giveUp('The container tests need Docker Compose 2.23.1 or newer (`docker compose`).');
  const secrets = {
    NPMRC_FILE: process.env.NPMRC_FILE ?? existing(path.join(homedir(), '.npmrc')),
    EXTRA_CA_FILE: process.env.EXTRA_CA_FILE ?? existing(process.env.NODE_EXTRA_CA_CERTS ?? ''),
  };
  const status = compose(['--progress', 'plain', 'build', '--quiet'], 'inherit', {
    ...secrets,
    MASTER_KEY: '-',
    BOOTSTRAP_TOKEN: '-',
    POSTGRES_PASSWORD: '-',
    NATS_TOKEN: '-',
  });
  if (status !== 0) giveUp('The image cannot be built.');
}

/** @param {string[]} args @param {'ignore' | 'inherit'} output @param {Record<string, string>} [environment] */
function compose(args, output, environment) {
  const root = path.resolve(import.meta.dirname, '../..');
  const options = { cwd: root, env: { ...process.env, ...environment } };
  return spawnSync('docker', ['compose', ...args], { ...options, stdio: ['ignore', output, output] }).status;
}

/** @param {string} file */
function existing(file) {
  return existsSync(file) ? file : '/dev/null';
}

/** @param {string} why @returns {never} */
function giveUp(why) {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}
