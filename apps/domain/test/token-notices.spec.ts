import { describe, expect, it } from '@jest/globals';
import { messageRequests } from '#contracts';
import { uuidOf } from '#database';
import { createLogger } from '#observability';
import { SystemMailer } from '../src/session/system-mailer.client.js';
import { tokenNoticeJob } from '../src/token/token-notice.job.js';
import { openPeople } from './people-fixture.js';
import { inDays, makeToken } from './tokens.js';

describe('makers of tokens', () => {
  const people = openPeople();
  const run = async () => {
    const { repositories, harness } = people;
    const delivery = harness.client(messageRequests);
    const log = createLogger('domain', 'silent');
    await tokenNoticeJob(repositories.tokens, new SystemMailer({ delivery, repositories, systemFrom: '', log })).run();
  };
  const mails = async () =>
    (
      await people.harness
        .dataSource('delivery')
        .query<{ email: string; subject: string }[]>(`select email, subject from message order by message_id`)
    ).map(({ email, subject }) => `${email} ${subject}`);
  const query = (sql: string, parameters: unknown[]) => people.harness.dataSource('domain').query(sql, parameters);

  it('get a mail a week and a day before the end, once each, and none for a token of hours or a revoked one', async () => {
    const { token } = await makeToken(people, people.owner, { name: 'Report', expiresAt: inDays(10) });
    await makeToken(people, people.owner, { name: 'Short', expiresAt: inDays(0.5) });
    const revoked = await makeToken(people, people.owner, { name: 'Revoked', expiresAt: inDays(10) });
    await people.data(people.owner, 'revoke_api_token', { tokenId: revoked.token.id });
    await run();
    expect(await mails()).toEqual([]);
    const mail = `${people.owner.email} The API token Report ends soon`;
    // The end comes nearer; ids keep the time of the creation.
    const endIn = (hours: number) =>
      query(`update api_token set expires_at = now() + make_interval(hours => $2) where token_id = $1`, [
        uuidOf('tok', token.id),
        hours,
      ]);
    await query(`update api_token set token_id = uuid_floor(now() - interval '30 days') where token_id = $1`, [
      uuidOf('tok', token.id),
    ]);
    const [moved] = (await people.repositories.tokens.list(people.ours.organizationId)).slice(-1);
    token.id = moved!.id;
    await endIn(6 * 24);
    await people.harness.bus.without('delivery', run);
    expect(await mails()).toEqual([]);
    await run();
    await run();
    expect(await mails()).toEqual([mail]);
    await endIn(23);
    await run();
    await run();
    expect(await mails()).toEqual([mail, mail]);
  });
});
