import { build } from '../../scripts/launch/build.mjs';
import { ROOT } from '../../scripts/launch/paths.mjs';
import { provideTestServers } from '../../scripts/launch/shared-servers.mjs';

/** Leaves the servers of this run; the last process to leave stops them. */
export let leave = async () => {};

/**
 * One PostgreSQL, one NATS and one build for the whole Jest run; under `npm test` they are there already, and the
 * environment says so.
 */
export default async function setUp() {
  process.env.TIDINGS_BUILD_DIR ??= await build(ROOT);
  const { DATABASE_URL, NATS_URL, MASTER_KEY } = process.env;
  if (DATABASE_URL && NATS_URL && MASTER_KEY) return;
  const servers = await provideTestServers();
  process.env.DATABASE_URL ??= servers.databaseUrl;
  process.env.NATS_URL ??= servers.natsUrl;
  process.env.MASTER_KEY ??= servers.masterKey;
  leave = servers.stop;
}
