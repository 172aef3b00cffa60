/** Codes of Node.js for a name that does not resolve yet, and a port that takes no connection yet. */
const network = new Set([
  ...['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'],
]);
/** 57P03 (cannot_connect_now; PostgreSQL, appendix A): the server starts up or shuts down. */
const startingUp = '57P03';
/** What `pg` says without a code when a connection breaks, or its limit of time passes, before the server greets. */
const broken = /^(Connection terminated|timeout expired)/;

const pauseMs = 1_000;

export interface Patience {
  /** 0 for a single attempt. */
  waitMs: number;
  /** Called for the first failure and for each that differs from the one before. */
  report?: (error: Error) => void;
}

/**
 * Connects to a server as soon as it can be reached: its name resolves, its port takes connections and it has started. Both
 * may come later than the process that needs it, such as the Service of a database that is applied together with it.
 * @param connect makes one attempt
 * @throws the error of the last attempt; at once if waiting cannot help, as with a wrong password
 */
export async function whenReachable<T>(connect: () => Promise<T>, { waitMs, report }: Patience): Promise<T> {
  const endsAt = performance.now() + waitMs;
  for (let last = ''; ;) {
    try {
      return await connect();
    } catch (error) {
      const { code = '', message } = error as Error & { code?: string };
      const mayPass = network.has(code) || code === startingUp || broken.test(message);
      if (!mayPass || performance.now() + pauseMs > endsAt) throw error;
      if (code + message !== last) report?.(error as Error);
      last = code + message;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
