const TRIES = 5;
const PAUSE_MS = 2_000;

/**
 * A client that repeats calls without an answer in time: the machine may be busy, and every call of a proof may be
 * repeated safely.
 * @param {new (url: string, token: string) => { data(tool: string, body: object): Promise<any>, confirmed(tool: string, body: object): Promise<string>, unsubscribe(link: string): Promise<void> }} Client
 */
export const patient = (Client) =>
  class extends Client {
    /** @override @param {string} tool @param {object} body @returns {Promise<any>} */
    async data(tool, body) {
      for (let tries = 1; ; tries++) {
        try {
          return await super.data(tool, body);
        } catch (error) {
          const { message } = /** @type {Error} */ (error);
          if (tries === TRIES || !/in time|not available|rate limit/i.test(message)) throw error;
          await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        }
      }
    }
  };
