import { environmentIsWhole } from './config.js';
import type { Logger } from './logger.js';
import { startTracing, stopTracing } from './tracing.js';

/** Something that runs until it is stopped. */
export interface Running {
  /** Finishes what is under way and lets everything go. */
  stop(): Promise<void>;
  /** What the supervisor is told when it is up. */
  facts?: Record<string, unknown>;
  /** It has done all it was started for, and the process ends. */
  isDone?: boolean;
}

/** Longer than the deadline of a call, so that those under way can finish. */
const stopMaxMs = 30_000;

/** EX_CONFIG of sysexits.h: the launcher does not try it again with the same settings. */
const wrongSettings = 78;

/**
 * The life of a service process: start when the supervisor says so (it loads several processes side by side and begins
 * them in order), tell it, and stop gracefully at SIGTERM, SIGINT or when the supervisor is gone. A failed start ends
 * with status 1, one whose settings are wrong (`wrongSettings` of the error) with 78.
 * @param prepare called when the environment is complete; throws, in words for the operator, when it is not right
 */
export async function runProcess(prepare: () => { log: Logger; start: () => Promise<Running> }): Promise<void> {
  await environmentIsWhole();
  let prepared: ReturnType<typeof prepare>;
  try {
    prepared = prepare();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = wrongSettings;
    return process.disconnect?.();
  }
  const { log, start } = prepared;
  let running: Running;
  try {
    await startTracing(String(log.bindings().service));
    running = await start();
  } catch (error) {
    const isWrong = (error as { wrongSettings?: boolean }).wrongSettings === true;
    const status = isWrong ? wrongSettings : 1;
    if (isWrong) log.fatal((error as Error).message);
    else log.fatal({ err: error }, 'could not start');
    process.exitCode = status;
    process.disconnect?.();
    setTimeout(() => process.exit(status), 200).unref();
    return;
  }
  if (running.isDone) {
    await stopTracing();
    return log.info('done');
  }
  let stopping = false;
  const stop = (why: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ why }, 'stopping');
    setTimeout(() => process.exit(1), stopMaxMs).unref();
    const stopped = running.stop().then(stopTracing);
    stopped.then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'did not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', () => stop('SIGTERM'));
  process.once('SIGINT', () => stop('SIGINT'));
  if (process.send) {
    process.once('disconnect', () => stop('the supervisor is gone'));
    process.send({ type: 'ready', ...running.facts });
  }
  log.info('ready');
}
