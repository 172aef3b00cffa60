import { Controller, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Bus, serviceCaller } from '#bus';
import type { Client } from '#bus';
import { feedbackRequests } from '#contracts';
import { RemoteFailure, ToolError } from '#tool-call';
import { readBody } from '../http/read-body.js';
import { truncate } from './webhook.js';
import type { Webhook, WebhookContent } from './webhook.js';

export const WEBHOOKS = Symbol('webhooks');
export const FETCH_TEXT = Symbol('fetch text');

const bytesMax = 5 * 1024 * 1024;
/** A bounce mail is cut here; its report is at the beginning. */
const mailBytesMax = 512 * 1024;
const reportsMax = 1000;
const recordMs = 20_000;

type Delivery = Client<typeof feedbackRequests>;
type Recorded = Awaited<ReturnType<Delivery['record_mail_report']>>;

/** Receives reports of relays and mail servers about messages that they accepted. */
@Controller('webhooks/:provider')
export class WebhookController {
  /** One client per cell: a report may concern a message of any organization. */
  readonly #deliveries;

  constructor(
    @Inject(Bus) bus: Bus,
    @Inject(WEBHOOKS) private readonly webhooks: ReadonlyMap<string, Webhook>,
    @Inject(FETCH_TEXT) private readonly fetchText: (url: string) => Promise<string>,
  ) {
    this.#deliveries = bus.cells.map((cell) => bus.clientIn(cell, feedbackRequests));
  }

  @Post()
  async take(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const webhook = this.webhooks.get((request.params as { provider: string }).provider);
    if (!webhook) return void reply.status(404).send({ error: 'No webhook is configured here.' });
    try {
      const body = await readBody(request.raw, bytesMax);
      const content = await webhook({ headers: request.headers, body, now: new Date(Date.now()) });
      if (!content) return void reply.status(401).send({ error: 'The signature is missing, wrong or too old.' });
      const { later, ...told } = await this.#record(content, request.id);
      if (later > 0) return askAgain(reply);
      void reply.status(200).send(told);
    } catch (error) {
      sendFailure(reply, error);
    }
  }

  async #record(content: WebhookContent, requestId: string): Promise<Recorded> {
    const caller = serviceCaller('', requestId, recordMs);
    switch (content.kind) {
      case 'confirm':
        await this.fetchText(content.url);
        return { recorded: 0, unknown: 0, later: 0 };
      case 'mail': {
        const raw = content.raw.subarray(0, mailBytesMax).toString('base64');
        return await this.#tell(1, (delivery) => delivery.record_mail_report({ raw }, caller));
      }
      case 'reports': {
        const total = { recorded: 0, unknown: 0, later: 0 };
        for (let at = 0; at < content.reports.length; at += reportsMax) {
          const part = content.reports.slice(at, at + reportsMax).map(truncate);
          const tell = (delivery: Delivery) => delivery.record_provider_reports({ reports: part }, caller);
          const { recorded, unknown, later } = await this.#tell(part.length, tell);
          total.recorded += recorded;
          total.unknown += unknown;
          total.later += later;
        }
        return total;
      }
    }
  }

  /**
   * Sends reports to one cell after another until none is unknown.
   * @throws RemoteFailure if reports remain unknown and a cell did not respond
   */
  async #tell(reports: number, tell: (delivery: Delivery) => Promise<Recorded>): Promise<Recorded> {
    const total = { recorded: 0, unknown: reports, later: 0 };
    let silent: unknown = null;
    for (const delivery of this.#deliveries) {
      const { recorded, unknown, later } = await tell(delivery).catch((error: unknown): Recorded => {
        silent = error;
        return { recorded: 0, unknown: reports, later: 0 };
      });
      total.recorded += recorded;
      total.later += later;
      total.unknown = Math.max(0, total.unknown - (reports - unknown));
      if (total.unknown === 0) return total;
    }
    if (silent !== null) throw silent;
    return total;
  }
}

/** Providers retry after a 5xx, and after nothing else. */
function sendFailure(reply: FastifyReply, error: unknown): void {
  if (error instanceof SyntaxError) return void reply.status(400).send({ error: 'The body is no JSON.' });
  if (error instanceof ToolError && error.reason === 'BODY_TOO_LARGE') {
    return void reply.status(413).send({ error: error.message });
  }
  // A ToolError here means that Amazon's certificate or confirmation could not be fetched.
  if (!(error instanceof RemoteFailure || error instanceof ToolError)) throw error;
  askAgain(reply);
}

const askAgain = (reply: FastifyReply): void =>
  void reply.status(503).header('retry-after', '30').send({ error: 'Try again later.' });
