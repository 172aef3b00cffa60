import { describe, expect, it, jest } from '@jest/globals';
import { until } from '#testing';
import { people, SendFixture } from '../apps/delivery/test/send-fixture.js';

jest.setTimeout(180_000);

const tenMinutesMs = 600_000;

// A file of its own: ids that are made while the clock is ahead are followed by later ones until it has caught up.
describe('a campaign', () => {
  const world = SendFixture.ofSuite({}, 1);

  it.each([tenMinutesMs, -tenMinutesMs])(
    'goes by the clock of the database: a process that is %d ms off',
    async (off) => {
      const sink = await world.relay();
      const recipients = people(60);
      const tenant = await world.organization();
      const send = await world.send(tenant, await world.audience(tenant, recipients));
      const real = Date.now.bind(Date);
      jest.spyOn(Date, 'now').mockImplementation(() => real() + off);
      [1, 2].map(() => world.engine(sink.url));
      await until('it ends', async () => (await world.progress(send)).finishedAt !== null);
      jest.restoreAllMocks();
      expect(await world.checked(send)).toMatchObject({ sent: 60, inDoubt: 0 });
      expect(recipients.map(({ email }) => sink.counts.get(email))).toEqual(Array(60).fill(1));
    },
  );
});
