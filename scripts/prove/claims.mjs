import { say } from '../launch/terminal.mjs';

/** The claims of a proof: each is a line for the reader, and those that do not hold are kept. */
export class Claims {
  /** @type {string[]} */
  broken = [];

  /** @param {string} claim @param {boolean} holds @param {unknown} [seen] */
  check(claim, holds, seen = '') {
    const text = typeof seen === 'string' ? seen : JSON.stringify(seen);
    say(`${holds ? 'ok  ' : 'FAIL'} ${claim}${text === '' ? '' : ` (${text})`}`);
    if (!holds) this.broken.push(claim);
  }

  /**
   * Runs the proof and says how it ended.
   * @param {() => Promise<void>} prove
   * @param {{ cleanUp: () => Promise<void>, about: string }} options
   * @returns {Promise<never>} ends the process, with 1 when a claim does not hold
   */
  async run(prove, { cleanUp, about }) {
    try {
      await prove();
    } catch (error) {
      say(/** @type {Error} */ (error).stack);
      this.broken.push('the proof ran to its end');
    } finally {
      await cleanUp();
    }
    const { length } = this.broken;
    say(`${length === 0 ? 'PROVED' : `${length} CLAIMS DO NOT HOLD`}: ${about}`);
    process.exit(length === 0 ? 0 : 1);
  }
}
