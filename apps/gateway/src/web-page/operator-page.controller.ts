import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { sendResponse } from '../http/response.js';
import type { Page } from './html-page.js';
import { sendPage } from './send-html.js';

/** The pages for the operator, and the OpenAPI document; each is built at its first request. */
export const OPERATOR_PAGES = Symbol('operator pages');
export interface OperatorPages {
  home(): Page;
  reference(): Page;
  openApi(): string;
}

@Controller()
export class PageController {
  constructor(@Inject(OPERATOR_PAGES) private readonly pages: OperatorPages) {}

  @Get('docs')
  reference(@Res() reply: FastifyReply): void {
    sendPage(reply, this.pages.reference());
  }

  /** Public: it holds no data of any organization. */
  @Get('api/openapi.json')
  openApi(@Res() reply: FastifyReply): void {
    const headers = { 'access-control-allow-origin': '*' };
    sendResponse(reply, { status: 200, headers, body: this.pages.openApi(), outcome: 'OK' });
  }
}
