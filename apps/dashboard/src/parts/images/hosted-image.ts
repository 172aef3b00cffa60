import type { ToolData } from '#client';

export type HostedImage = ToolData<'list_images'>['images'][number];

/** 2 MB and more are refused by the API. */
export const imageBytesMax = 2 * 1024 * 1024 - 1;
export const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** Where this page shows an image: on its own origin, whatever host mails name. */
export const shownAddress = ({ url }: Pick<HostedImage, 'url'>): string => new URL(url).pathname;

/** Why a file is not sent at all; null for one that the API may take. */
export function faultOf({ type, size }: Pick<File, 'type' | 'size'>): 'type' | 'size' | null {
  if (!imageTypes.includes(type)) return 'type';
  return size > imageBytesMax ? 'size' : null;
}

/** The name of a file without its ending, as the API takes it. */
export const nameOf = (fileName: string): string =>
  fileName
    .replace(/\.\w{2,5}$/, '')
    .trim()
    .slice(0, 255) || fileName.slice(0, 255);

/** Pixels of the widest column of a mail. */
const columnWidth = 600;

/** An image as a mail shows it: no wider than the column. */
export function imageAttributes({ url, description, width, height }: HostedImage) {
  const scale = Math.min(1, columnWidth / width);
  return {
    src: url,
    alt: description,
    width: Math.round(width * scale),
    height: Math.max(1, Math.round(height * scale)),
  };
}
