import { renderSource } from './render-source.js';
import type { RenderReply, RenderRequest } from './render-source.js';

export interface NumberedRequest {
  number: number;
  request: RenderRequest;
}

export interface NumberedReply {
  number: number;
  reply: RenderReply;
}

onmessage = ({ data: { number, request } }: MessageEvent<NumberedRequest>) =>
  postMessage({ number, reply: renderSource(request, new Date()) } satisfies NumberedReply);
