import { connect } from '@nats-io/transport-node';
import pg from 'pg';
import { connectionOptions } from '#bus';

/** A bare NATS subscription and one SQL statement: the raw side of the tool-call bench. `hop` answers without SQL. */
const connection = await connect(connectionOptions({ url: process.env.NATS_URL!, name: 'raw service' }));
const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: 10,
  options: '-c search_path=subscriber,public',
});
const { statement, values } = JSON.parse(process.env.RAW_STATEMENT!) as { statement: string; values: unknown[] };
const answerOf = (rows: unknown[]) => JSON.stringify({ success: true, data: { tags: rows, total: rows.length } });
const { rows } = await pool.query(statement, values);
const constant = answerOf(rows);

connection.subscribe(`${process.env.NATS_NAMESPACE}.raw.statement`, {
  callback: (_error, message) => {
    pool.query(statement, values).then(
      (result) => message.respond(answerOf(result.rows)),
      () => message.respond('{"success":false}'),
    );
  },
});
connection.subscribe(`${process.env.NATS_NAMESPACE}.raw.hop`, {
  callback: (_error, message) => {
    message.respond(constant);
  },
});
await connection.flush();
process.send!({ type: 'ready' });
process.once('disconnect', () => process.exit(0));
