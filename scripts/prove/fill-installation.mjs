/**
 * Copies a finished campaign inside the database, with its messages and histories, as often as `copies` says. All names
 * of columns come from the database, so that it works with the schema of any version.
 *
 * @param {any} postgres a client that owns the database
 * @param {{ campaignUuid: string, copies: number, say: (line: string) => void }} options
 * @returns {Promise<{ campaignUuids: string[], messages: number, bytes: number }>} `bytes` of the whole database
 */
export async function fillInstallation(postgres, { campaignUuid, copies, say }) {
  const { rows: sends } = await postgres.query('select send_id from delivery.send where campaign_id = $1', [
    campaignUuid,
  ]);
  const { send_id: sendUuid } = sends[0];
  await postgres.query('create temp table copy (n int, campaign_id uuid, send_id uuid)');
  await postgres.query(
    `insert into copy select n, ${newUuid('t.campaign_id')}, ${newUuid('t.send_id')}
     from generate_series(1, $3::int) n, (select $1::uuid as campaign_id, $2::uuid as send_id) t`,
    [campaignUuid, sendUuid, copies],
  );
  const source = `t.campaign_id = '${campaignUuid}'`;
  const send = `t.send_id = '${sendUuid}'`;
  await copyRows('campaign.campaign', source, {
    campaign_id: 'c.campaign_id',
    send_id: 'c.send_id',
    name: `'Copy ' || c.n`,
  });
  for (const table of ['campaign_stat', 'campaign_link', 'campaign_hour'])
    await copyRows(`campaign.${table}`, source, { campaign_id: 'c.campaign_id' });
  await copyRows('delivery.send', source, { campaign_id: 'c.campaign_id', send_id: 'c.send_id' });
  await copyRows('delivery.send_page', send, { send_id: 'c.send_id' });
  const step = 25;
  for (let from = 1; from <= copies; from += step) {
    const some = `c.n between ${from} and ${from + step - 1}`;
    await copyRows('delivery.message', send, { send_id: 'c.send_id', message_id: newUuid('t.message_id') }, some);
    await copyRows('subscriber.subscriber_campaign', source, { campaign_id: 'c.campaign_id' }, some);
    const events = { campaign_id: 'c.campaign_id', event_id: newUuid('t.event_id') };
    await copyRows('subscriber.subscriber_event', source, events, some);
    say(`     copied ${Math.min(copies, from + step - 1)} of ${copies}`);
  }
  await postgres.query('analyze');
  const { rows } = await postgres.query('select campaign_id from copy order by n');
  const { rows: counted } = await postgres.query(
    'select count(*)::int as n, pg_database_size(current_database())::float8 as bytes from delivery.message',
  );
  const campaignUuids = rows.map((/** @type {{ campaign_id: string }} */ { campaign_id: id }) => id);
  return { campaignUuids, messages: counted[0].n, bytes: counted[0].bytes };

  /** @param {string} table @param {string} where @param {Record<string, string>} changed @param {string} [some] */
  async function copyRows(table, where, changed, some = 'true') {
    const { rows: columns } = await postgres.query(
      `select quote_ident(attname) as name from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''`,
      [table],
    );
    const names = columns.map((/** @type {{ name: string }} */ { name }) => name);
    const values = names.map((/** @type {string} */ name) => changed[name] ?? `t.${name}`);
    await postgres.query(
      `insert into ${table} (${names.join(', ')}) select ${values.join(', ')} from ${table} t cross join copy c where ${where} and ${some}`,
    );
  }
}

/** SQL: another uuid of the same millisecond. @param {string} column */
const newUuid = (column) => `overlay(${column}::text placing substr(gen_random_uuid()::text, 20) from 20)::uuid`;
