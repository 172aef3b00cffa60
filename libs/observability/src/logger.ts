import { pino } from 'pino';
import type { Logger } from 'pino';

export type { Logger };

/**
 * A structured logger: JSON lines with the service's name. At info and above no addresses and no secrets are written.
 * @param level pino's level name; `silent` for none
 */
export function createLogger(service: string, level: string): Logger {
  return pino({
    level,
    base: { service },
    formatters: { level: (label) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: ['*.authorization', '*.password', '*.secret', '*.privateKeyPem'],
  });
}
