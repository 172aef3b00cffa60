import { z } from 'zod';
import { idText, pageSize, timestamp } from '../common.js';
import { defineTools } from '../define.js';

const image = z.object({
  id: z.string(),
  url: z.string().describe('Public address; for the src of an image block'),
  name: z.string(),
  description: z.string().nullable(),
  width: z.int(),
  height: z.int(),
  bytes: z.int(),
  contentType: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
  createdAt: timestamp,
});
const one = { image, imageId: z.string() };
const name = z.string().trim().min(1).max(255).optional();

/** An address to fetch; whether it may be is decided by the service. */
export const webAddress = z
  .string()
  .trim()
  .min(1)
  .max(2_048)
  .regex(/^https?:\/\//i, 'must start with http:// or https://');

export const imageTools = defineTools('campaign', {
  upload_image: {
    summary: 'Fetches an image from a public address and hosts it for use in mail.',
    category: 'images',
    scope: 'write',
    rules: [
      'Accepts complete PNG, JPEG, GIF or WebP images under 2 MB. The maximum is 25 megapixels (18 as WebP, 100 over all frames of an animation). SVG is refused because mail clients do not show it.',
      'Without name, the last part of the address becomes the name.',
    ],
    input: z.strictObject({ url: webAddress, name, description: z.string().trim().max(2_000).optional() }),
    output: z.object(one),
    errors: ['URL_NOT_FETCHABLE', 'IMAGE_TOO_LARGE', 'IMAGE_INVALID', 'IMAGE_DAMAGED', 'IMAGE_DIMENSIONS_TOO_LARGE'],
    transaction: 'own',
    keywords: 'add a picture, photo, logo, put online, host, graphic, banner, store',
    example: {
      url: 'https://example.com/bed.png',
      name: 'Spring bed',
      description: 'Peas and radishes in a wooden bed',
    },
  },
  upload_image_file: {
    summary: 'Hosts an image for use in mail from the bytes of a file.',
    category: 'images',
    scope: 'write',
    rules: [
      'content is the file in Base64. Limits are those of upload_image: a complete PNG, JPEG, GIF or WebP image under 2 MB.',
    ],
    input: z.strictObject({
      content: z
        .string()
        .min(1)
        .max(4_000_000)
        .regex(/^[A-Za-z0-9+/]+={0,2}$/, 'must be Base64'),
      name: z.string().trim().min(1).max(255).describe('Name of the image, such as that of the file'),
      description: z.string().trim().max(2_000).optional(),
    }),
    output: z.object(one),
    errors: ['IMAGE_TOO_LARGE', 'IMAGE_INVALID', 'IMAGE_DAMAGED', 'IMAGE_DIMENSIONS_TOO_LARGE'],
    transaction: 'own',
    keywords: 'add a picture from a file, photo, logo, base64, bytes, host, local image, store',
    example: {
      content:
        'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAMAAABFaP0WAAAAA1BMVEUYeU7a1mE6AAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAC0lEQVQImWNgAAEAAAYAAeaH/n8AAAAASUVORK5CYII=',
      name: 'Green dot',
    },
  },
  list_images: {
    summary: 'Lists hosted images by page, newest first.',
    category: 'images',
    scope: 'read',
    input: z.strictObject({
      query: z.string().max(255).optional().describe('Substring of name or description, without case'),
      capturePageId: z
        .string()
        .max(320)
        .optional()
        .describe('Only images of this capture page; without capture pages there are none'),
      page: z.int().min(1).max(1_000_000).default(1),
      pageSize: pageSize(100, 50),
    }),
    output: z.object({
      images: z.array(image),
      total: z.int(),
      page: z.int(),
      pageSize: z.int(),
      pageCount: z.int(),
    }),
    errors: [],
    transaction: 'read',
    keywords: 'pictures, photos, gallery, library, logos, which, show, uploaded',
    example: { query: 'spring' },
  },
  describe_image: {
    summary: 'Updates the description, and with it the name, of a hosted image.',
    category: 'images',
    scope: 'write',
    idempotent: true,
    rules: ['Identify the image by imageId or by url.'],
    input: z.strictObject({
      imageId: idText.optional(),
      url: z.string().trim().min(1).max(2_048).optional(),
      description: z.string().trim().max(2_000),
      name,
    }),
    output: z.object(one),
    errors: ['IMAGE_NOT_FOUND', 'IDENTIFIER_MISSING', 'IDENTIFIERS_DISAGREE'],
    transaction: 'write',
    keywords: 'alternative text, alt text, caption, name a picture, title of a photo, accessibility',
    example: { imageId: '{imageId}', description: 'Peas and radishes in a wooden bed' },
  },
  delete_image: {
    summary: 'Deletes a hosted image. Mail that shows it, sent or not, loses it.',
    category: 'images',
    scope: 'write',
    confirm: true,
    destructive: true,
    rules: ['Mail clients and proxies may show a stored copy for a year.'],
    input: z.strictObject({ imageId: idText }),
    output: z.object({ deleted: z.literal(true), imageId: z.string() }),
    errors: ['IMAGE_NOT_FOUND'],
    transaction: 'own',
    keywords: 'remove a picture, photo, file',
    example: { imageId: '{spareImageId}' },
  },
  auto_fit_campaign_images: {
    summary: 'Sets the images of a DRAFT campaign to their natural size, up to a maximum, without enlarging any.',
    category: 'campaigns',
    scope: 'write',
    idempotent: true,
    rules: [
      'imageIndexes selects images by the index that a dry run returns; without it, all images are fitted.',
      'status is FITTED (changed, or would be), UNCHANGED, NOT_CHOSEN, UNREACHABLE (unknown size) or NOT_RESIZABLE (its address is a variable, or the content is MARKDOWN).',
    ],
    input: z.strictObject({
      campaignId: idText,
      imageIndexes: z.array(z.int().min(0).max(9_999)).max(1_000).optional(),
      maxWidth: z.int().min(1).max(4_000).default(600),
      maxHeight: z.int().min(1).max(4_000).default(400),
      dryRun: z.boolean().default(false),
    }),
    output: z.object({
      images: z.array(
        z.object({
          index: z.int(),
          src: z.string(),
          alt: z.string(),
          natural: z.object({ width: z.int(), height: z.int() }).nullable(),
          current: z.object({ width: z.number().nullable(), height: z.number().nullable() }),
          fitted: z.object({ width: z.int(), height: z.int() }).nullable(),
          status: z.enum(['FITTED', 'UNCHANGED', 'NOT_CHOSEN', 'UNREACHABLE', 'NOT_RESIZABLE']),
        }),
      ),
      dryRun: z.boolean(),
    }),
    errors: ['CAMPAIGN_NOT_FOUND', 'CAMPAIGN_NOT_DRAFT', 'PARAMETERS_INVALID'],
    transaction: 'own',
    keywords: 'resize pictures, too big, shrink photos, make images fit, width, scale, too large',
    example: { campaignId: '{scheduledCampaignId}', dryRun: true },
  },
});
