import { setImmediate } from 'node:timers/promises';
import type { Logger, Running } from '#observability';
import { receiveEnvironment } from './config.js';

export interface Preparation {
  log: Logger;
  start: () => Promise<Running>;
}

/** Longer than the deadline of a call, so that running calls can finish. */
const stopMaxMs = 30_000;

/** EX_CONFIG of sysexits.h: the launcher does not try it again with the same settings. */
const wrongSettings = 78;

/** 128 and SIGTERM: a process that ends before it has begun has not done its work, which a Job of Kubernetes must see. */
const endedEarly = 143;

/**
 * The lifecycle of a service process: load its modules, start at the supervisor's signal, report that, and stop
 * gracefully. It stops at SIGTERM, SIGINT or when the supervisor is gone. The supervisor loads several processes in
 * parallel and starts them in order. A failed start ends with status 1, one with wrong settings (`wrongSettings` of the
 * error) with 78, one that is ended before it starts with 143.
 *
 * SIGTERM is handled from the first statement on. Process 1 of a container is not ended by a signal without a handler;
 * it would be killed in the middle of its work when the grace period is over. A process that gets SIGTERM while it
 * starts finishes its start and stops.
 * @param load imports the modules of the service, and nothing before this function may; `prepare` is called when the
 * environment is complete, and throws, in words for the operator, when it is not right
 */
export async function runProcess(load: () => Promise<{ prepare: () => Preparation }>): Promise<void> {
  const requested = new EndRequest();
  requested.handle(() => process.exit(endedEarly));
  const { prepare } = await load();
  // A signal that arrived meanwhile is handled now.
  await setImmediate();
  await receiveEnvironment();
  let preparation: Preparation;
  try {
    preparation = prepare();
  } catch (error) {
    requested.ignore();
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = wrongSettings;
    return process.disconnect?.();
  }
  const { startTracing, stopTracing } = await import('#observability');
  const { log, start } = preparation;
  const running = startTracing(String(log.bindings().service)).then(start);
  requested.handle((reason) => {
    log.info({ why: reason }, 'stopping');
    setTimeout(() => process.exit(1), stopMaxMs).unref();
    const stopped = running.then((one) => one.stop()).then(stopTracing);
    stopped.then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'did not stop cleanly');
        process.exit(1);
      },
    );
  });
  let started: Running;
  try {
    started = await running;
  } catch (error) {
    requested.ignore();
    const isWrong = (error as { wrongSettings?: boolean }).wrongSettings === true;
    const status = isWrong ? wrongSettings : 1;
    if (isWrong) log.fatal((error as Error).message);
    else log.fatal({ err: error }, 'could not start');
    process.exitCode = status;
    process.disconnect?.();
    setTimeout(() => process.exit(status), 200).unref();
    return;
  }
  if (started.isDone) {
    requested.ignore();
    await stopTracing();
    return log.info('done');
  }
  if (requested.made) return;
  process.send?.({ type: 'ready', ...started.facts });
  log.info('ready');
}

/** The first request to end this process; a second signal ends it at once, as it would a program without handlers. */
class EndRequest {
  #reason: string | null = null;
  #react: (reason: string) => void = () => undefined;
  readonly #handlers = {
    SIGTERM: () => this.#request('SIGTERM'),
    SIGINT: () => this.#request('SIGINT'),
    ...(process.send && { disconnect: () => this.#request('the supervisor is gone') }),
  };

  constructor() {
    for (const [event, handler] of Object.entries(this.#handlers)) process.once(event, handler);
  }

  get made(): boolean {
    return this.#reason !== null;
  }

  handle(react: (reason: string) => void): void {
    this.#react = react;
  }

  ignore(): void {
    for (const [event, handler] of Object.entries(this.#handlers)) process.off(event, handler);
  }

  #request(reason: string): void {
    if (this.#reason !== null) return;
    this.#reason = reason;
    this.#react(reason);
  }
}
