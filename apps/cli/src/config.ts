import { z } from 'zod';
import { otherCells } from '#bus';

/** Address of the running system; `npm run tidings` sets it for a system that `npm start` started on this machine. */
export const operatorEnvironment = z.object({
  NATS_URL: z.string().min(1),
  NATS_NAMESPACE: z.string().default('tidings'),
  CELLS: otherCells,
});
export type OperatorConfig = z.infer<typeof operatorEnvironment>;

/** The environment of this process. @returns null when it names no running system */
export function readOperatorConfig(environment: NodeJS.ProcessEnv = process.env): OperatorConfig | null {
  return operatorEnvironment.safeParse(environment).data ?? null;
}

/** How MCP clients reach the system, from the environment: the public address and an API token. */
export const mcpDefaults = (environment: NodeJS.ProcessEnv = process.env) => ({
  url: environment.PUBLIC_URL || 'http://localhost:3000',
  token: environment.TIDINGS_TOKEN || 'tdg_YOUR_TOKEN',
});

const text = z.string().min(1).optional().catch(undefined);

/** The settings of an installation that the doctor checks; missing ones are not checked. */
export const doctorEnvironment = z.object({
  DATABASE_URL: text,
  DATABASE_ROLE_PREFIX: text,
  NATS_URL: text,
  MASTER_KEY: text,
  SMTP_URL: text,
  PUBLIC_URL: text,
  DATA_DIR: text,
  SMTP_LISTEN_PORT: z.coerce.number().int().min(0).max(65535).optional().catch(undefined),
});
export type DoctorConfig = z.infer<typeof doctorEnvironment>;

/** Reads the doctor's settings from the environment. */
export const readDoctorConfig = (environment: NodeJS.ProcessEnv = process.env): DoctorConfig =>
  doctorEnvironment.parse(environment);
