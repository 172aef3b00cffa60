import type { Block } from './block.js';
import { visit } from './block-walk.js';
import type { Path, Warning } from '../document/document.js';
import { untouchedBodies, untouchedSubjects } from './untouched.js';
import { isTrackable } from '../variable/link-target.js';
import type { LinkTarget } from '../variable/link-target.js';
import { isAlwaysFilled, isVariable, writeVariable } from '../variable/variable.js';
import type { Text } from '../variable/variable.js';

/** Gmail cuts a message there and hides the rest, the unsubscribe link with it. */
export const HTML_BYTES_MAX = 102 * 1024;
/** Longer subjects are cut everywhere. */
const SUBJECT_MAX = 150;
/** Decision: fewer than this many letters for each picture reads like the all-picture mail that filters distrust. */
const LETTERS_A_PICTURE = 60;

const literal = (parts: Text): string => parts.map((part) => (typeof part === 'string' ? part : '')).join('');

const isWithin = (path: Path, outer: Path): boolean => outer.every((step, depth) => path[depth] === step);

const fallbackWarnings = (text: Text, path: Path): Warning[] =>
  text
    .filter(isVariable)
    .filter(({ variable, fallback }) => fallback === null && !isAlwaysFilled(variable))
    .map((use) => ({
      code: 'FALLBACK_MISSING',
      message: `${writeVariable(use)} shows nothing where it is unknown; give it a fallback: ${writeVariable({ ...use, fallback: '…' })}.`,
      path,
    }));

const linkWarnings = (target: LinkTarget, path: Path): Warning[] => {
  const address = literal(target.parts);
  if (typeof target.parts[0] === 'string' && /^http:/iu.test(address)) {
    return [{ code: 'LINK_NOT_HTTPS', message: `The link ${address} is not https.`, path }];
  }
  const leadsNowhere = target.tag === null && !isTrackable(target) && !/^(?:#.|mailto:|tel:|sms:)/iu.test(address);
  return leadsNowhere && typeof target.parts[0] !== 'object'
    ? [
        {
          code: 'LINK_RELATIVE',
          message: `The link "${address}" leads nowhere in a mail; write the whole address.`,
          path,
        },
      ]
    : [];
};

export const blockWarnings = (blocks: Block[]): Warning[] => {
  const warnings: Warning[] = [];
  let letters = 0;
  let pictures = 0;
  /** Blocks that show only where a variable has a value, so that within it needs no fallback. */
  const sure: { path: Path; variable: string }[] = [];
  const unsure = (text: Text, path: Path): Text =>
    text.filter(
      (part) => !isVariable(part) || !sure.some((one) => one.variable === part.variable && isWithin(path, one.path)),
    );
  visit(blocks, false, {
    condition: ({ variable }, path) => variable !== null && sure.push({ path, variable }),
    text: (text, path) => {
      letters += text.reduce((sum, part) => sum + (typeof part === 'string' ? part.trim().length : 8), 0);
      warnings.push(...fallbackWarnings(unsure(text, path), path));
      const written = literal(text).trim();
      if (untouchedBodies.includes(written))
        warnings.push({
          code: 'CONTENT_UNTOUCHED',
          message: `The mail still holds the text that a new one begins with: "${written}"`,
          path,
        });
    },
    link: (target, path) =>
      warnings.push(...fallbackWarnings(unsure(target.parts, path), path), ...linkWarnings(target, path)),
    picture: ({ src, alt, width }, path) => {
      if (width === null || width > 64) pictures += 1;
      if (alt.length === 0) warnings.push({ code: 'IMAGE_ALT_MISSING', message: 'The image has no alt text.', path });
      const address = literal(src.parts);
      if (typeof src.parts[0] === 'string' && /^http:/iu.test(address)) {
        warnings.push({ code: 'LINK_NOT_HTTPS', message: `The image ${address} is not https.`, path });
      } else if (!isTrackable(src)) {
        const message = `The image "${address}" is not found from a mail; write its whole address.`;
        warnings.push({ code: 'LINK_RELATIVE', message, path });
      }
    },
    block: (block) => {
      if (
        block.kind === 'text' &&
        block.inlines.every(
          (inline) => inline.kind === 'text' && literal(inline.text).trim() === '' && !inline.text.some(isVariable),
        )
      ) {
        const message =
          block.tag === 'p'
            ? 'The paragraph is empty; a spacer makes room in every mail client.'
            : 'The heading is empty.';
        warnings.push({ code: 'PARAGRAPH_EMPTY', message, path: block.path });
      }
    },
  });
  if (pictures > 0 && letters < pictures * LETTERS_A_PICTURE) {
    warnings.push({
      code: 'IMAGE_HEAVY',
      message: `${pictures === 1 ? 'One image' : `${pictures} images`} and little text: spam filters distrust that, and many readers see no images.`,
    });
  }
  return warnings;
};

export const headerWarnings = (subject: Text, preview: Text): Warning[] => {
  const length = literal(subject).length;
  const warnings = [...fallbackWarnings(subject, ['subject']), ...fallbackWarnings(preview, ['preview'])];
  if (untouchedSubjects.includes(literal(subject).trim()))
    warnings.push({
      code: 'SUBJECT_UNTOUCHED',
      message: 'The subject is still the one that a new mail begins with.',
      path: ['subject'],
    });
  if (length > SUBJECT_MAX)
    warnings.push({
      code: 'SUBJECT_LONG',
      message: `The subject has ${length} characters; inboxes show fewer than ${SUBJECT_MAX}.`,
      path: ['subject'],
    });
  return warnings;
};
