import type { ImageFacts } from './read-image.js';

export interface Image extends ImageFacts {
  id: string;
  name: string;
  description: string | null;
  bytes: number;
  createdAt: Date;
}

const extensions: Record<ImageFacts['contentType'], string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};

export const imageUrl = (publicUrl: string, { id, contentType }: Pick<Image, 'id' | 'contentType'>): string =>
  `${publicUrl.replace(/\/$/, '')}/i/${id}.${extensions[contentType]}`;

/** Returns the image id in an address of this installation; null for any other address. */
export function imageIdOf(publicUrl: string, url: string): string | null {
  const prefix = `${publicUrl.replace(/\/$/, '')}/i/`;
  return url.startsWith(prefix) ? (/^(img_[0-9a-z]{26})(?:\.\w+)?$/.exec(url.slice(prefix.length))?.[1] ?? null) : null;
}

export function nameFromUrl(url: string): string {
  const { pathname, hostname } = new URL(url);
  const last = pathname.split('/').filter(Boolean).at(-1) ?? '';
  const readable = decoded(last)
    .replace(/\.\w{2,5}$/, '')
    .replace(/[\p{Cc}\s_-]+/gu, ' ')
    .trim();
  return (readable || hostname).slice(0, 255);
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

export const imageAnswer = (publicUrl: string, image: Image) => ({
  id: image.id,
  url: imageUrl(publicUrl, image),
  name: image.name,
  description: image.description,
  width: image.width,
  height: image.height,
  bytes: image.bytes,
  contentType: image.contentType,
  createdAt: image.createdAt.toISOString(),
});
