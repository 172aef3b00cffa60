import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { connect } from '@nats-io/transport-node';
import { jetstreamManager } from '@nats-io/jetstream';
import { messageOf } from '../paths.mjs';
import { LaunchError } from '../terminal.mjs';

/**
 * What a backup takes from NATS: unsubscriptions that were accepted and not applied yet (the stream `choices`). Everything
 * else there is published again from the outbox of the database, or lives for minutes.
 */

/** @typedef {{ url: string, namespace: string }} NatsPlace */

/**
 * Listens to choices from now on, so that none falls between a list of the stream and the end of the database's backup.
 * @param {NatsPlace} place
 * @param {string} buildDir
 * @returns {Promise<{ list: () => Promise<object[]>, close: () => Promise<void> }>} `list`: those that waited at any time
 *   since, each once. A choice that was applied meanwhile is among them, and putting it back changes nothing.
 */
export async function watchChoices({ url, namespace }, buildDir) {
  const { listWaitingChoices } = await busOf(buildDir);
  const connection = await connectNats(url, 'tidings backup');
  /** @type {Map<string, object>} */
  const choices = new Map();
  const note = (/** @type {object} */ choice) => void choices.set(JSON.stringify(choice), choice);
  connection.subscribe(`${namespace}.choices.>`, {
    callback: (error, message) => {
      if (!error) note(message.json());
    },
  });
  await connection.flush();
  const list = async () => {
    for (const choice of (await listWaitingChoices?.({ connection, namespace })) ?? []) note(choice);
    return [...choices.values()];
  };
  await list();
  return { list, close: () => connection.close() };
}

/**
 * Deletes all streams of an installation, and puts choices back for the subscriber service to apply at its next start.
 * @param {NatsPlace} place
 * @param {{ choices: object[], buildDir: () => Promise<string> }} content
 */
export async function replaceContent({ url, namespace }, { choices, buildDir }) {
  const connection = await connectNats(url, 'tidings restore');
  try {
    const manager = await jetstreamManager(connection);
    for await (const { config } of manager.streams.list()) {
      if (config.name.startsWith(`${namespace}_`)) await manager.streams.delete(config.name);
    }
    if (choices.length === 0) return;
    const { restoreWaitingChoices } = await busOf(await buildDir());
    if (!restoreWaitingChoices) throw new Error('this version cannot put choices back');
    await restoreWaitingChoices({ connection, namespace }, choices);
  } finally {
    await connection.close();
  }
}

/**
 * Waits until opens and clicks are recorded, for a while.
 * @param {NatsPlace} place
 * @param {number} patienceMs
 * @returns {Promise<number>} how many are not
 */
export async function untilHitsApplied({ url, namespace }, patienceMs) {
  const connection = await connectNats(url, 'tidings backup');
  try {
    const manager = await jetstreamManager(connection);
    const until = Date.now() + patienceMs;
    for (;;) {
      const waiting = await manager.consumers
        .info(`${namespace}_hits`, 'delivery')
        .then((info) => info.num_pending + info.num_ack_pending)
        .catch(() => 0);
      if (waiting === 0 || Date.now() > until) return waiting;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  } finally {
    await connection.close();
  }
}

/** @param {string} url `nats://[token@ or user:password@]host:port` @param {string} name */
async function connectNats(url, name) {
  const { protocol, host, username, password } = new URL(url);
  const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)];
  return await connect({
    servers: host,
    name,
    maxReconnectAttempts: 3,
    ...(pass ? { user, pass } : user && { token: user }),
    ...(protocol === 'tls:' && { tls: {} }),
  }).catch((error) => {
    throw new LaunchError(`NATS at ${host} does not answer: ${messageOf(error)}.`);
  });
}

/** The compiled bus library. @param {string} buildDir @returns {Promise<any>} */
const busOf = (buildDir) => import(pathToFileURL(path.join(buildDir, 'libs/bus/src/index.js')).href);
