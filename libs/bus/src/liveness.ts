import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';

/** Settings of the client: a server that left two pings unanswered is left at the third. */
export const pingSettings = { pingInterval: 2_000, maxPingOut: 2 };

/** How long a server that seems silent has to answer a ping. */
const answerMs = 1_000;
/** How long the client has to leave a connection by itself; it first writes, which never ends on a blocked socket. */
const leaveMs = 500;

/** The client has no call that ends a connection whose socket accepts no more data. */
interface Internals {
  protocol?: { transport?: { socket?: { destroy(): void } } };
}

/**
 * Leaves a connection whose server does not answer a ping within a second, so that the client connects again. Costs a
 * round trip otherwise.
 */
export async function leaveIfSilent(connection: NatsConnection): Promise<void> {
  if (connection.isClosed()) return;
  let isAnswered = false;
  const answered = connection
    .flush()
    .catch(() => undefined)
    .finally(() => (isAnswered = true));
  await Promise.race([answered, sleep(answerMs, undefined, { ref: false })]);
  // In a process that was busy for that long, the answer is read after the timers.
  await nextTurn();
  if (!isAnswered) await leave(connection);
}

async function leave(connection: NatsConnection): Promise<void> {
  const socket = (connection as unknown as Internals).protocol?.transport?.socket;
  await connection.reconnect().catch(() => undefined);
  await sleep(leaveMs, undefined, { ref: false });
  // Without effect on a socket that the client has left by now.
  socket?.destroy();
}

/** Sees to it that a connection which is left for its silence is left also where its socket is blocked. */
export async function leaveBlockedSocket(connection: NatsConnection): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type !== 'ping' || status.pendingPings <= pingSettings.maxPingOut) continue;
    const socket = (connection as unknown as Internals).protocol?.transport?.socket;
    setTimeout(() => socket?.destroy(), leaveMs).unref();
  }
}
