import { connect } from '@nats-io/transport-node';
import fastify from 'fastify';
import { connectionOptions } from '#bus';

/** Fastify and one NATS request/reply, nothing else: the raw side of the tool-call bench. */
const connection = await connect(connectionOptions({ url: process.env.NATS_URL!, name: 'raw gateway' }));
const app = fastify();
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
app.post('/:subject', async (request, reply) => {
  const { subject } = request.params as { subject: string };
  const answer = await connection.request(`${process.env.NATS_NAMESPACE}.raw.${subject}`, request.body as Buffer, {
    timeout: 25_000,
  });
  return await reply.type('application/json').send(Buffer.from(answer.data));
});
await app.listen({ port: 0, host: '127.0.0.1' });
const address = app.server.address() as { port: number };
process.send!({ type: 'ready', url: `http://127.0.0.1:${address.port}` });
process.once('disconnect', () => process.exit(0));
