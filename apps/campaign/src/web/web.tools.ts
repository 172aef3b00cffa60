import { webTools } from '#contracts';
import { implement, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import { BodyTooLarge } from '#public-fetch';
import type { Fetched, PublicFetcher } from '#public-fetch';
import type { ContentService } from '../content/content.service.js';
import { decodeText } from './decode-text.js';

const pageBytesMax = 5 * 1024 * 1024;
const accept = 'text/html, application/xhtml+xml, text/markdown, text/plain;q=0.8';
const plainMax = 50_000;

async function fetchPage(fetcher: PublicFetcher, url: string, { organizationId }: Caller): Promise<Fetched> {
  try {
    return await fetcher.fetch({ organizationId, url, accept, bytesMax: pageBytesMax });
  } catch (error) {
    throw error instanceof BodyTooLarge ? new ToolError('PAGE_NOT_READABLE', {}) : error;
  }
}

export const implementWebTools = ({ fetcher, content }: { fetcher: PublicFetcher; content: ContentService }) =>
  implement(webTools, {
    fetch_web_page: async (args, caller) => {
      const { url, contentType, body } = await fetchPage(fetcher, args.url, caller);
      const type = contentType.split(';')[0]!.trim().toLowerCase();
      const text = decodeText(body, contentType);
      if (type === 'text/html' || type === 'application/xhtml+xml') {
        return { url, ...(await content.readWebPage(text, url, caller)) };
      }
      if (type !== 'text/plain' && type !== 'text/markdown') throw new ToolError('PAGE_NOT_READABLE', {});
      const markdown = text.slice(0, plainMax);
      return { url, title: null, description: null, markdown, truncated: text.length > plainMax };
    },
  });
