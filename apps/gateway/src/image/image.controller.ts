import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Bus, serviceCaller } from '#bus';
import { imageRequests } from '#contracts';
import { RemoteFailure } from '#tool-call';
import type { Caller } from '#tool-call';
import { readerLanguage } from '../link/open-link.js';
import { goneLinkPage, unavailablePage } from '../web-page/recipient-pages.js';
import { sendPage } from '../web-page/send-html.js';

/** Deadline for reading an image, which is one row. */
const imageMs = 10_000;
const forever = 'public, max-age=31536000, immutable';

@Controller('i/:file')
export class ImageController {
  /** One client per cell: an address names no organization. */
  readonly #images;

  constructor(@Inject(Bus) bus: Bus) {
    this.#images = bus.cells.map((cell) => bus.clientIn(cell, imageRequests));
  }

  @Get()
  async image(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const imageId = (request.params as { file: string }).file.replace(/\.\w+$/, '');
    const etag = `"${imageId}"`;
    if (request.headers['if-none-match'] === etag) {
      return void reply.status(304).headers({ etag, 'cache-control': forever }).send();
    }
    try {
      const file = await this.#find(imageId, serviceCaller('', request.id, imageMs));
      if (!file) return sendPage(reply, goneLinkPage(readerLanguage(request)));
      void reply
        .headers({
          'content-type': file.contentType,
          'cache-control': forever,
          etag,
          'x-content-type-options': 'nosniff',
          'content-security-policy': "default-src 'none'; sandbox",
          'cross-origin-resource-policy': 'cross-origin',
        })
        .send(Buffer.from(file.content, 'base64'));
    } catch (error) {
      if (!(error instanceof RemoteFailure)) throw error;
      sendPage(reply, unavailablePage(readerLanguage(request)));
    }
  }

  /** @throws RemoteFailure when a cell does not respond and no other has the image */
  async #find(imageId: string, caller: Caller) {
    let silent: unknown = null;
    for (const images of this.#images) {
      const { file } = await images.get_image_file({ imageId }, caller).catch((error: unknown) => {
        silent = error;
        return { file: null };
      });
      if (file) return file;
    }
    if (silent !== null) throw silent;
    return null;
  }
}
