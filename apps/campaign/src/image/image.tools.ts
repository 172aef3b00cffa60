import { imageRequests, imageTools } from '#contracts';
import type { Args } from '#contracts';
import { newId } from '#database';
import { implement, ToolError } from '#tool-call';
import { clearableLine } from '../campaign/campaign.js';
import { BodyTooLarge } from '#public-fetch';
import type { Fetched, PublicFetcher } from '#public-fetch';
import { decodeImage } from './decode-image.js';
import { fitCampaignImages } from './fit-images.tools.js';
import { imageAnswer, imageIdOf, nameFromUrl } from './image.js';
import type { Image } from './image.js';
import type { ImageDependencies } from './image.service.js';
import { stripMetadata } from './strip-metadata.js';

/** 2 × 1024 × 1024 bytes and more are refused. */
const imageBytesMax = 2 * 1024 * 1024 - 1;
/** SVG is excluded: formats that a server sends instead are refused. */
const imageAccept = 'image/png, image/jpeg, image/gif, image/webp';

type DescribeArgs = Args<(typeof imageTools)['calls']['describe_image']>;

async function fetchImage(fetcher: PublicFetcher, url: string, organizationId: string): Promise<Fetched> {
  try {
    return await fetcher.fetch({ organizationId, url, accept: imageAccept, bytesMax: imageBytesMax });
  } catch (error) {
    throw error instanceof BodyTooLarge ? new ToolError('IMAGE_TOO_LARGE', {}) : error;
  }
}

function imageIdIn({ imageId, url }: DescribeArgs, publicUrl: string): string {
  const names = ['imageId', 'url'];
  if (url === undefined) {
    if (imageId === undefined) throw new ToolError('IDENTIFIER_MISSING', { names });
    return imageId;
  }
  const fromUrl = imageIdOf(publicUrl, url);
  if (fromUrl === null) throw new ToolError('IMAGE_NOT_FOUND', { id: url, by: 'url' });
  if (imageId !== undefined && imageId !== fromUrl) throw new ToolError('IDENTIFIERS_DISAGREE', { names });
  return fromUrl;
}

/** Checks a file and stores it without its metadata. */
async function hostImage(
  { images, storage }: Pick<ImageDependencies, 'images' | 'storage'>,
  organizationId: string,
  body: Buffer,
  text: Pick<Image, 'name' | 'description'>,
): Promise<Image> {
  const facts = await decodeImage(body);
  const content = stripMetadata(body, facts);
  const id = newId('img');
  // Stores the bytes first: if the row fails, only an unreferenced object remains.
  await storage?.put(id, content, facts.contentType);
  const stored = { bytes: content.length, content: storage ? null : content };
  return await images.insert(organizationId, id, { ...facts, ...text, ...stored });
}

export const implementImageTools = (parts: ImageDependencies) => {
  const { images, storage, fetcher, publicUrl } = parts;
  const answer = (image: Image) => ({ image: imageAnswer(publicUrl, image), imageId: image.id });
  return implement(
    imageTools,
    {
      upload_image: async ({ url, name, description }, { organizationId }) => {
        const { body } = await fetchImage(fetcher, url, organizationId);
        const text = { name: clearableLine(name ?? null) ?? nameFromUrl(url), description: clean(description) || null };
        return answer(await hostImage(parts, organizationId, body, text));
      },

      upload_image_file: async ({ content, name, description }, { organizationId }) => {
        const body = Buffer.from(content, 'base64');
        if (body.length > imageBytesMax) throw new ToolError('IMAGE_TOO_LARGE', {});
        const text = { name: clearableLine(name) ?? 'image', description: clean(description) || null };
        return answer(await hostImage(parts, organizationId, body, text));
      },

      list_images: async ({ query, capturePageId, page, pageSize }, { organizationId }) => {
        const found =
          capturePageId === undefined
            ? await images.list(organizationId, { query: query ?? null, page, pageSize })
            : { images: [], total: 0 };
        const { total } = found;
        const shown = found.images.map((image) => imageAnswer(publicUrl, image));
        return { images: shown, total, page, pageSize, pageCount: Math.ceil(total / pageSize) };
      },

      describe_image: async (args, { organizationId }) => {
        const id = imageIdIn(args, publicUrl);
        const text = { description: clean(args.description), name: clearableLine(args.name ?? null) ?? undefined };
        const image = await images.updateText(organizationId, id, text);
        const named = args.imageId === undefined ? { id: args.url!, by: 'url' } : { id: args.imageId };
        if (!image) throw new ToolError('IMAGE_NOT_FOUND', named);
        return answer(image);
      },

      delete_image: async ({ imageId }, { organizationId }) => {
        // The row goes first: without it, no reader gets the bytes, even if the storage keeps them.
        if (!(await images.delete(organizationId, imageId))) throw new ToolError('IMAGE_NOT_FOUND', { id: imageId });
        await storage?.delete(imageId);
        return { deleted: true as const, imageId };
      },

      auto_fit_campaign_images: (args, caller) => fitCampaignImages(parts, args, caller),
    },
    {
      delete_image: async ({ imageId }, { organizationId }) => {
        const image = await images.find(organizationId, imageId);
        if (!image) throw new ToolError('IMAGE_NOT_FOUND', { id: imageId });
        const { names, total } = await images.listUsers(organizationId, imageId);
        const more = total > names.length ? ` and ${total - names.length} more` : '';
        const users = total === 0 ? 'No campaign or snippet shows it.' : `It is shown by ${names.join(', ')}${more}.`;
        return { action: 'Delete the image', message: `Deletes the image '${image.name}'. ${users}` };
      },
    },
  );
};

const clean = (text = ''): string => text.replaceAll('\0', '').trim();

export const implementImageRequests = ({ images, storage }: Pick<ImageDependencies, 'images' | 'storage'>) =>
  implement(imageRequests, {
    get_image_file: async ({ imageId }) => {
      const file = await images.findFile(imageId);
      const content = file && (file.content ?? (await storage?.get(imageId)) ?? null);
      return { file: content && { contentType: file.contentType, content: content.toString('base64') } };
    },
  });
