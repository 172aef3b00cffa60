import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Page } from './page.js';
import { sendPage } from './send-page.js';

/** The pages for whoever runs the system, made once. */
export const OPERATOR_PAGES = Symbol('operator pages');
export type OperatorPages = Record<'home' | 'reference', Page>;

@Controller()
export class PageController {
  constructor(@Inject(OPERATOR_PAGES) private readonly pages: OperatorPages) {}

  @Get()
  home(@Res() reply: FastifyReply): void {
    sendPage(reply, this.pages.home);
  }

  @Get('docs')
  reference(@Res() reply: FastifyReply): void {
    sendPage(reply, this.pages.reference);
  }
}
