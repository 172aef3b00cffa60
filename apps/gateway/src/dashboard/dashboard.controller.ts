import { Controller, Get, Inject, NotFoundException, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isKnownHost } from '../mailbox/known-host.js';
import { PUBLIC_URL } from '../mailbox/mailbox.controller.js';
import { OPERATOR_PAGES } from '../web-page/operator-page.controller.js';
import type { OperatorPages } from '../web-page/operator-page.controller.js';
import { sendPage } from '../web-page/send-html.js';
import { isDashboardAddress } from './dashboard-address.js';
import { DashboardFiles } from './dashboard-files.service.js';
import { assetHeaders, dashboardHeaders } from './dashboard-policy.js';
import { previewHeaders, previewHtml } from './preview-frame.js';

/**
 * Serves the dashboard on the host of PUBLIC_URL and on this machine; on customers' web domains a page of sign-in would
 * teach people to trust the wrong host.
 */
@Controller()
export class DashboardController {
  constructor(
    @Inject(DashboardFiles) private readonly files: DashboardFiles,
    @Inject(PUBLIC_URL) private readonly publicUrl: string,
    @Inject(OPERATOR_PAGES) private readonly pages: OperatorPages,
  ) {}

  @Get()
  async home(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (!(await this.#sendIndex(request, reply))) sendPage(reply, this.pages.home());
  }

  @Get('preview')
  async preview(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (!this.#isOwnHost(request) || !(await this.files.index())) throw new NotFoundException();
    void reply.headers(previewHeaders).send(previewHtml);
  }

  @Get('assets/:name')
  async asset(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { name } = request.params as { name: string };
    const file = this.#isOwnHost(request) && (await this.files.read(name, request.headers['accept-encoding'] ?? ''));
    if (!file) throw new NotFoundException();
    void reply
      .headers(assetHeaders)
      .headers({ 'content-type': file.type, ...(file.coding && { 'content-encoding': file.coding }) })
      .send(file.body);
  }

  @Get([':first', ':first/*'])
  async page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const path = request.url.split('?', 1)[0]!;
    if (!isDashboardAddress(path) || !(await this.#sendIndex(request, reply))) throw new NotFoundException();
  }

  async #sendIndex(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const index = this.#isOwnHost(request) ? await this.files.index() : null;
    if (index) void reply.headers(dashboardHeaders).send(index);
    return index !== null;
  }

  #isOwnHost({ headers }: FastifyRequest): boolean {
    return isKnownHost(headers.host, this.publicUrl);
  }
}
