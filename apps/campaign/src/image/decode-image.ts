import sharp from 'sharp';
import { ToolError } from '#tool-call';
import { readImage } from './read-image.js';
import type { ImageFacts } from './read-image.js';

/** Most pixels of all frames of an animation; 100 megapixels take a core about two seconds. */
const animationPixelsMax = 100_000_000;
/** Most pixels of a picture that must be held in memory as a whole; at 8 bytes a pixel it takes up to 150 MB. */
const heavyPixelsMax = 18_000_000;
const decodingSecondsMax = 20;

// Only accepted formats can be decoded, even if other bytes pose as one.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['Png', 'Jpeg', 'Nsgif', 'Webp'].map((format) => `VipsForeignLoad${format}`),
});
sharp.cache(false);
sharp.concurrency(1);

let turn: Promise<unknown> = Promise.resolve();

/** Runs work one after the other, so that decoding occupies only one of the few threads that DNS lookups also use. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const result = turn.then(work);
  turn = result.catch(() => undefined);
  return result;
}

/**
 * Decodes a whole image on a thread outside the event loop; its size is the displayed one, after the camera's rotation.
 */
export async function decodeImage(bytes: Buffer): Promise<ImageFacts> {
  const { contentType } = readImage(bytes);
  try {
    return { contentType, ...(await inTurn(() => shownSize(bytes, contentType))) };
  } catch (error) {
    if (error instanceof ToolError) throw error;
    const isLarge = error instanceof Error && /pixel limit|timeout/.test(error.message);
    throw new ToolError(isLarge ? 'IMAGE_DIMENSIONS_TOO_LARGE' : 'IMAGE_DAMAGED', {}, { cause: error });
  }
}

async function shownSize(bytes: Buffer, contentType: ImageFacts['contentType']) {
  const image = sharp(bytes, {
    animated: true,
    limitInputPixels: animationPixelsMax,
    // A warning about a JPEG means missing image data; about a PNG it concerns the colour profile, which all viewers
    // tolerate.
    failOn: contentType === 'image/png' ? 'error' : 'warning',
  });
  const { width, height, pageHeight = height, orientation = 1, depth, isProgressive } = await image.metadata();
  const isHeavy = contentType === 'image/webp' || (depth === 'ushort' && isProgressive);
  if (isHeavy && width * pageHeight > heavyPixelsMax) throw new ToolError('IMAGE_DIMENSIONS_TOO_LARGE', {});
  // Every pixel goes into the sixteen by sixteen of the answer, line by line where the format allows.
  await image
    .resize(16, 16, { fit: 'fill', fastShrinkOnLoad: false })
    .timeout({ seconds: decodingSecondsMax })
    .raw()
    .toBuffer();
  return orientation >= 5 ? { width: pageHeight, height: width } : { width, height: pageHeight };
}
