import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { MessageRepository } from '../src/message/message.repository.js';
import { SendWorld } from './send-world.js';

describe('readiness', () => {
  let world: SendWorld;
  beforeAll(async () => {
    world = await SendWorld.start();
  });
  afterAll(() => world.stop());

  it('is red without room for the next month, and green again once there is', async () => {
    const messages = new MessageRepository(world.database.manager);
    expect(await messages.hasRoom()).toBe(true);
    const url = new URL(process.env.DATABASE_URL!);
    const [{ name }] = await world.database.query<[{ name: string }]>('select current_database() as name');
    url.pathname = `/${name}`;
    const owner = new Client({ connectionString: url.toString() });
    await owner.connect();
    const next = `message_${new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1)).toISOString().slice(0, 7).replace('-', '')}`;
    await owner.query(`drop table delivery.${next}`);
    await owner.end();
    expect(await messages.hasRoom()).toBe(false);
    await world.database.query('select maintain_partitions()');
    expect(await messages.hasRoom()).toBe(true);
  });
});
