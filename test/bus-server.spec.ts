import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { MessagePattern } from '@nestjs/microservices';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { Module } from '@nestjs/common';
import { BusServer, connectBus, serviceCaller } from '#bus';
import type { Bus } from '#bus';
import { until } from '#testing';

let started = 0;
let release: () => void = () => undefined;
const released = new Promise<void>((resolve) => (release = resolve));

@Controller()
class SlowController {
  @MessagePattern('tools.slow.*')
  async call() {
    started += 1;
    await released;
    return { ok: true, data: 'done' };
  }
}

@Module({ controllers: [SlowController] })
class SlowModule {}

describe('a stopping service', () => {
  const namespace = `t-${randomUUID().slice(0, 8)}`;
  const options = { url: process.env.NATS_URL!, namespace };
  let bus: Bus;
  beforeAll(async () => {
    bus = await connectBus({ ...options, name: 'spec' });
  });
  afterAll(() => bus.close());

  it('answers all of 200 calls under way, and takes no new one', async () => {
    const server = new BusServer({ ...options, name: 'slow', queue: 'slow' });
    const app = await NestFactory.createMicroservice<MicroserviceOptions>(SlowModule, {
      strategy: server,
      logger: false,
    });
    await app.listen();
    const ask = () => bus.request('tools', { service: 'slow', name: 'x' }, {}, serviceCaller('', 'spec'));
    const underWay = Array.from({ length: 200 }, ask);
    await until('all are under way', () => started === 200);
    const stopped = server.close();
    await until('new calls are refused', async () => !(await ask()).ok);
    release();
    await stopped;
    expect((await Promise.all(underWay)).every((outcome) => outcome.ok)).toBe(true);
    expect(started).toBe(200);
    await app.close();
  });
});
