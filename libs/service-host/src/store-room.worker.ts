import { checkStoreRoom, storeShareMax } from '#bus';
import type { Bus } from '#bus';
import type { ServiceConfig } from './config.js';
import type { Worker } from './service-plan.js';

interface Dependencies {
  bus: Bus;
  config: Pick<ServiceConfig, 'EVENTS_MAX_MB' | 'HITS_MAX_MB'>;
  log: { warn(data: object, text: string): void };
}

/** Warns at the start if the limits of the streams leave too little of the store of NATS. */
export function storeRoomWarning({ bus, config, log }: Dependencies): Worker {
  const planned = { events: config.EVENTS_MAX_MB * 1e6, hits: config.HITS_MAX_MB * 1e6 };
  const check = async () => {
    try {
      const { bytes, isEnough } = await checkStoreRoom(bus, planned);
      if (!isEnough) log.warn({ bytes, planned }, tooLittle);
    } catch (error) {
      log.warn({ err: error }, 'the store of NATS was not checked');
    }
  };
  let checked = Promise.resolve();
  return {
    // The start does not wait for it.
    start: () => void (checked = check()),
    stop: () => checked,
  };
}

const tooLittle = `the limits of all streams are more than ${storeShareMax * 100} % of the store of NATS; enlarge it, or lower EVENTS_MAX_MB and HITS_MAX_MB`;
