import type { Content, DocumentNode } from '#content';
import type { Args, Data, imageTools } from '#contracts';
import type { Caller } from '#tool-call';
import { saveText } from '../campaign/campaign-editing.tools.js';
import { assertCan, parameterProblem } from '../campaign/campaign.js';
import type { Campaign } from '../campaign/campaign.js';
import { getMail, retryOnConflict } from '../campaign/campaign.service.js';
import { decodeImage } from './decode-image.js';
import { imageIdOf } from './image.js';
import type { ImageDependencies } from './image.service.js';
import { fitInto } from './read-image.js';

type FitArgs = Args<(typeof imageTools)['calls']['auto_fit_campaign_images']>;
type Answer = Data<(typeof imageTools)['calls']['auto_fit_campaign_images']>;
type FittedImage = Answer['images'][number];
interface Size {
  width: number;
  height: number;
}

const resizable = new Set(['image', 'inlineImage']);
/** Limits for images on other servers; ones larger than a hosted image may be are fitted too. */
const foreign = { accept: 'image/*', bytesMax: 5 * 1024 * 1024, deadlineMs: 5_000 };
const fetchedAtOnce = 4;
/** Milliseconds of a call reserved for saving the measured sizes. */
const savingMs = 2_000;

function imageNodes(content: Content): DocumentNode[] {
  if (typeof content === 'string') return [];
  return [content, ...(content.content ?? []).flatMap(imageNodes)].filter(
    (node, at) => at > 0 || resizable.has(node.type),
  );
}

export async function fitCampaignImages(parts: ImageDependencies, args: FitArgs, caller: Caller): Promise<Answer> {
  const known = new Map<string, Promise<Size | null>>();
  return await retryOnConflict(async () => {
    const read = await getMail(parts, args.campaignId, caller);
    assertCan('edit', read);
    const content = structuredClone(read.content);
    const images = await fitted({ ...read, content }, { parts, args, known, caller });
    if (args.dryRun || !images.some(({ status }) => status === 'FITTED')) return { images, dryRun: args.dryRun };
    const text = { ...read, content };
    const saved = await saveText(parts, read, { text, references: null, warnings: [] }, caller);
    return saved && { images, dryRun: false };
  });
}

interface Fitting {
  parts: ImageDependencies;
  args: FitArgs;
  known: Map<string, Promise<Size | null>>;
  /**
   * The call's deadline bounds the work: images not measured by then stay unchanged, and no request outlives the call.
   */
  caller: Caller;
}

async function fitted(read: Campaign, fitting: Fitting): Promise<FittedImage[]> {
  const { content } = read;
  const { args, caller, parts } = fitting;
  const nodes = imageNodes(content);
  const fixed = typeof content === 'string' ? (await parts.composer.content.references(read, caller)).images : [];
  const count = nodes.length + fixed.length;
  const beyond = args.imageIndexes?.findIndex((index) => index >= count) ?? -1;
  if (beyond >= 0) throw parameterProblem(['imageIndexes', beyond], `the campaign has ${count} images`);
  const results = fixed.map(({ src, alt, width, height }, index): FittedImage => ({
    index,
    src,
    alt,
    natural: null,
    fitted: null,
    current: { width, height },
    status: 'NOT_RESIZABLE',
  }));
  for (let at = 0; at < nodes.length; at += fetchedAtOnce) {
    const some = nodes.slice(at, at + fetchedAtOnce);
    results.push(...(await Promise.all(some.map((node, n) => fitOne(node, at + n, fitting)))));
  }
  return results;
}

async function fitOne(node: DocumentNode, index: number, fitting: Fitting): Promise<FittedImage> {
  const { args, known } = fitting;
  const attrs = (node.attrs ??= {});
  const { src, alt } = { src: String(attrs.src), alt: typeof attrs.alt === 'string' ? attrs.alt : '' };
  const current = { width: pixels(attrs.width), height: pixels(attrs.height) };
  const result = { index, src, alt, natural: null, fitted: null, current };
  if (args.imageIndexes && !args.imageIndexes.includes(index)) return { ...result, status: 'NOT_CHOSEN' };
  if (src.includes('{{') || attrs.isSrcVariable === true) return { ...result, status: 'NOT_RESIZABLE' };
  if (!known.has(src)) known.set(src, naturalSize(src, fitting));
  const natural = await known.get(src)!;
  if (!natural) return { ...result, status: 'UNREACHABLE' };
  const size = fitInto(natural, { width: args.maxWidth, height: args.maxHeight });
  const same = current.width === size.width && current.height === size.height;
  Object.assign(attrs, size);
  return { ...result, natural, fitted: size, status: same ? 'UNCHANGED' : 'FITTED' };
}

async function naturalSize(
  src: string,
  { parts, caller: { organizationId, deadline } }: Fitting,
): Promise<Size | null> {
  const id = imageIdOf(parts.publicUrl, src);
  const hosted = id && (await parts.images.find(organizationId, id));
  if (hosted) return { width: hosted.width, height: hosted.height };
  const left = deadline - savingMs - Date.now();
  if (left <= 0) return null;
  try {
    const { body } = await parts.fetcher.fetch({
      organizationId,
      url: src,
      ...foreign,
      deadlineMs: Math.min(foreign.deadlineMs, left),
    });
    const { width, height } = await decodeImage(body);
    return { width, height };
  } catch {
    return null;
  }
}

const pixels = (value: unknown): number | null => {
  const number = typeof value === 'number' ? value : typeof value === 'string' ? Number.parseFloat(value) : NaN;
  return Number.isFinite(number) ? number : null;
};
