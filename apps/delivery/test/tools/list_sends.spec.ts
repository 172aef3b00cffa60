import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { uuidOf } from '#database';
import { InspectionFixture } from '../inspection-fixture.js';

interface Page {
  sends: { sendId: string; campaignName: string; state: string; total: number; finishedAt: string | null }[];
  nextCursor: string | null;
}

describe('list_sends', () => {
  let fixture: InspectionFixture;
  const ids: string[] = [];
  beforeAll(async () => {
    fixture = await InspectionFixture.open();
    for (let n = 0; n < 3; n++) ids.unshift((await fixture.send()).sendId);
    await fixture.send(fixture.otherTenant);
    await fixture.world.database.query(`update send set state = 'PAUSED' where send_id = $1`, [uuidOf('send', ids[1])]);
  });
  afterAll(() => fixture.close());

  const list = (input: object = {}) => fixture.data<Page>('list_sends', input);

  it('lists the sends of the organization, newest first', async () => {
    const { sends, nextCursor } = await list();
    expect(sends.map(({ sendId }) => sendId)).toEqual(ids);
    expect(sends[0]).toMatchObject({ campaignName: 'News of May', state: 'RUNNING', finishedAt: null });
    expect(nextCursor).toBeNull();
  });

  it('narrows by state and turns pages', async () => {
    expect((await list({ state: 'PAUSED' })).sends.map(({ sendId }) => sendId)).toEqual([ids[1]]);
    const first = await list({ limit: 2 });
    const second = await list({ limit: 2, cursor: first.nextCursor! });
    expect([...first.sends, ...second.sends].map(({ sendId }) => sendId)).toEqual(ids);
  });

  it('refuses a cursor that is no send with PARAMETERS_INVALID', async () => {
    expect(await fixture.refusal('list_sends', { cursor: 'none' })).toBe('PARAMETERS_INVALID');
  });

  it('lists nothing of another organization, also by its cursor', async () => {
    const { sends } = await fixture.data<Page>('list_sends', {}, fixture.otherTenant);
    expect(sends).toHaveLength(1);
    expect(ids).not.toContain(sends[0]!.sendId);
    const cursor = { cursor: sends[0]!.sendId };
    expect((await list(cursor)).sends.map(({ sendId }) => sendId)).toEqual(ids);
  });
});
