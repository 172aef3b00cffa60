import { EXTENSIONS_NEEDED, MAJOR_MIN } from './postgres-binaries.mjs';
import { LaunchError } from './terminal.mjs';

const ADDRESS = 'the address must be postgres://user:password@host:port/database, special characters as %XX';

/**
 * Connects to a PostgreSQL server. The driver is loaded here, because most of the launcher runs before it is installed.
 * @param {string} url
 */
export async function connectPostgres(url) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // The next query reports a connection that broke while idle.
  client.on('error', () => {});
  await client.connect();
  return client;
}

/**
 * Refuses a server that Tidings cannot run on; returns its version.
 * @param {string} url
 * @param {string} name the operator's name of the server
 */
export async function checkPostgres(url, name) {
  const client = await connectNamed(url, name);
  try {
    const { rows } = await client.query(
      `select current_setting('server_version') as version,
              current_setting('server_version_num')::int / 10000 as major,
              lower('É') = 'é' as lowers,
              array(select e from unnest($1::text[]) e where e not in (select name from pg_available_extensions)) as missing`,
      [EXTENSIONS_NEEDED],
    );
    const { version, major, lowers, missing } = rows[0];
    const faults = [
      ...(major < MAJOR_MIN ? [`it is PostgreSQL ${version}; Tidings needs ${MAJOR_MIN} or newer`] : []),
      ...(lowers
        ? []
        : [
            "its lower('É') is not 'é', so searching would be limited to ASCII; make the database with " +
              "`create database tidings template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C.UTF-8'`",
          ]),
      ...(missing.length > 0
        ? [`it lacks the extension ${missing.join(' and ')}; on Debian \`apt install postgresql-contrib\``]
        : []),
    ];
    if (faults.length > 0) throw new LaunchError(`${name} cannot be used: ${faults.join('; ')}.`);
    return /** @type {string} */ (version);
  } finally {
    await client.end();
  }
}

/** True when the services have already made their schemas there. @param {string} url @param {string} name */
export async function hasServiceData(url, name) {
  const client = await connectNamed(url, name);
  try {
    const { rows } = await client.query(`select to_regnamespace('domain') is not null as found`);
    return /** @type {boolean} */ (rows[0].found);
  } finally {
    await client.end();
  }
}

/** @param {string} url @param {string} name */
async function connectNamed(url, name) {
  // The driver would take it for the name of a database somewhere.
  if (!URL.canParse(url)) throw new LaunchError(`${name} is unknown: ${ADDRESS}.`);
  return await connectPostgres(url).catch((error) => {
    throw new LaunchError(`${name} does not answer: ${error.message || error.code}.`);
  });
}
