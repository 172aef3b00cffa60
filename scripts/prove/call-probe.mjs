/** @typedef {{ data(tool: string, input: object): Promise<any> }} ToolClient */

const everyMs = 50;

/** Calls tools in turn, 20 a second whatever the answers take, and measures them. */
export class CallProbe {
  /** @param {ToolClient} client @param {readonly [string, object][]} calls */
  constructor(client, calls) {
    this.client = client;
    this.calls = calls;
  }

  /**
   * Calls while `work` runs.
   * @template T
   * @param {string} name for the reader
   * @param {() => Promise<T>} work
   * @returns {Promise<T & { ms: number, failed: number, slowest: number, calls: Record<string, number | string> }>}
   *   milliseconds of the work and of the slowest call
   */
  async during(name, work) {
    /** @type {number[]} */
    const times = [];
    /** @type {string[]} */
    const failures = [];
    /** @type {Set<Promise<void>>} */
    const open = new Set();
    let n = 0;
    let worst = '';
    const ask = async () => {
      const [tool, input] = /** @type {[string, object]} */ (this.calls[n++ % this.calls.length]);
      const from = performance.now();
      await this.client.data(tool, input).catch((/** @type {Error} */ error) => void failures.push(error.message));
      const took = performance.now() - from;
      if (took >= Math.max(0, ...times)) worst = tool;
      times.push(took);
    };
    const timer = setInterval(() => {
      const one = ask().finally(() => open.delete(one));
      open.add(one);
    }, everyMs);
    const from = performance.now();
    const result = await work().finally(() => clearInterval(timer));
    const ms = performance.now() - from;
    await Promise.all(open);
    times.sort((a, b) => a - b);
    const at = (/** @type {number} */ share) => Math.round(times[Math.ceil(times.length * share) - 1] ?? 0);
    const calls = {
      while: name,
      calls: times.length,
      p50: at(0.5),
      p99: at(0.99),
      slowest: at(1),
      worst,
      failed: failures.length,
    };
    return {
      ...result,
      ms,
      failed: failures.length,
      slowest: at(1),
      calls: { ...calls, ...(failures[0] && { failure: failures[0] }) },
    };
  }
}
