import { messageOf } from './paths.mjs';
import { say } from './terminal.mjs';

const BACK_OFF_MS = { first: 200, most: 10_000 };
const HEALTHY_AFTER_MS = 30_000;
const STOP_PATIENCE_MS = 20_000;

/** Starts a server of our own again, at the same address, whenever it ends, until it is stopped. */
export class ServerKeeper {
  #name;
  #server;
  #isStopping = false;
  #stop = () => {};
  /** @type {Promise<void>} */
  #stopRequested = new Promise((resolve) => (this.#stop = resolve));
  /** @type {Promise<void>} */
  #watch;

  /** @param {string} name @param {import('./postgres.mjs').Server} server */
  constructor(name, server) {
    this.#name = name;
    this.#server = server;
    this.#watch = server.running ? this.#keep(server.running) : Promise.resolve();
  }

  /**
   * Waits for a running restart first, so that the server it starts is stopped too.
   * @param {number} [patienceMs] after which it is killed
   */
  async stop(patienceMs = STOP_PATIENCE_MS) {
    this.#isStopping = true;
    this.#stop();
    await Promise.race([this.#watch, new Promise((resolve) => setTimeout(resolve, patienceMs).unref())]);
    await this.#server.stop(patienceMs);
  }

  /** @param {import('./daemon.mjs').Running} running */
  async #keep(running) {
    /** @type {import('./daemon.mjs').Running | undefined} */
    let current = running;
    let pauseMs = BACK_OFF_MS.first;
    for (;;) {
      const startedAt = Date.now();
      await Promise.race([current?.exited, this.#stopRequested]);
      if (this.#isStopping) return;
      if (Date.now() - startedAt >= HEALTHY_AFTER_MS) pauseMs = BACK_OFF_MS.first;
      say(`${this.#name} ended; starting it again.`, { level: 'warn' });
      await Promise.race([new Promise((resolve) => setTimeout(resolve, pauseMs)), this.#stopRequested]);
      if (this.#isStopping) return;
      pauseMs = Math.min(pauseMs * 2, BACK_OFF_MS.most);
      current = await this.#server
        .restart()
        .catch((error) => void say(`${this.#name}: ${messageOf(error)}`, { level: 'error' }));
    }
  }
}
