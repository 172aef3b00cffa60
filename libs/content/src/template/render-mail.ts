import { encodeComponent, encodeMailbox, escapeAddress, escapeFor, needsEscape } from '../variable/escape.js';
import { addressFromValue } from '../variable/link-target.js';
import type { MailTemplate, Segment, Slot, TargetPart, TemplateTarget } from './template.js';
import type { TagChange } from '../variable/variable.js';

export interface RenderInput {
  /** Merge data by variable name, in any case: email, name, phone and the custom fields under their own names. */
  values: Record<string, string | null | undefined>;
  /** True without a subscriber: all blocks show, and what has neither value nor fallback shows its name in brackets. */
  placeholders?: boolean;
  /** The answer to each filter list of `template.showIf`; absent: all show. */
  shows?: readonly boolean[];
  links: { unsubscribeUrl: string; preferencesUrl: string; onlineUrl: string };
  /** The year of `{{currentYear}}`, in the organization's timezone. */
  currentYear: number;
  /**
   * Makes the address that counts a click; absent: links lead straight to their target.
   * @param target '' for a tag link without an address
   * @param linkNumber its place in `template.links`
   */
  track?: (target: string, linkNumber: number, tag?: TagChange) => string;
  /** Address of the image that counts an opening; absent: none. */
  pixelUrl?: string;
}

/** A finished message: subject and preview are text, not escaped for anything but a header line. */
export interface RenderedMail {
  subject: string;
  preview: string | null;
  html: string;
  text: string;
}

export interface Plan {
  /** The key that held each variable in the message before: the values of one send share their keys. */
  keys: (string | undefined)[];
  literals: (string | null)[];
  countable: boolean[];
  /** Text that is the same in every message: constant targets as written in the text part and as images. */
  fixed: (string | undefined)[];
}

const plans = new WeakMap<MailTemplate, Plan>();

const isWebAddress = (target: string): boolean => /^https?:/iu.test(target);

/** The image that counts an opening, around its address. */
export const pixelImage = {
  before: '<img src="',
  after: '" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0">',
};

/** A target in its place; one that leads nowhere is left out. */
export const placed = (slot: Extract<Slot, { kind: 'address' | 'src' }>, target: string): string => {
  if (target === '#' || target === '') return '';
  return slot.kind === 'src' ? escapeAddress(target) : slot.before + target + slot.after;
};

export const planOf = (template: MailTemplate): Plan => {
  const known = plans.get(template);
  if (known) return known;
  const literals = template.targets.map(({ parts }) =>
    parts.every((part) => typeof part === 'string') ? parts.join('') : null,
  );
  const countable = literals.map((literal) => literal !== null && isWebAddress(literal));
  const fixed = template.slots.map((slot) => {
    if (slot.kind !== 'address' && slot.kind !== 'src') return undefined;
    const literal = literals[slot.target];
    return literal === null || literal === undefined || literal === '' ? undefined : placed(slot, literal);
  });
  const plan = { keys: template.variables.map(() => undefined), literals, countable, fixed };
  plans.set(template, plan);
  return plan;
};

const findKey = (values: RenderInput['values'], name: string, last: string | undefined): string | undefined => {
  if (last !== undefined && Object.hasOwn(values, last)) return last;
  if (Object.hasOwn(values, name)) return name;
  const wanted = name.toLowerCase();
  return Object.keys(values).find((key) => key.trim().toLowerCase() === wanted);
};

const firstWord = (name: string): string => /\S+/u.exec(name)?.[0] ?? '';

const withLineEnd = (text: string): string => (text === '' ? '' : `${text}\n`);

/** What of a template differs from message to message, for one recipient. */
export class FilledTemplate {
  readonly #template: MailTemplate;
  readonly #input: RenderInput;
  readonly #plan: Plan;
  readonly #values: string[];
  readonly #targets: (string | undefined)[] = [];
  readonly #tracked: (string | undefined)[] = [];

  constructor(template: MailTemplate, input: RenderInput) {
    this.#template = template;
    this.#input = input;
    this.#plan = planOf(template);
    this.#values = template.variables.map((name, index) => this.#value(name, index));
  }

  render(): RenderedMail {
    const { subject, preview, html, text, slots } = this.#template;
    const filled = this.slots(slots.keys());
    const shown = this.shown();
    const join = (segments: Segment[]): string => joinSegments(segments, filled, shown);
    return {
      subject: join(subject).trim(),
      preview: preview === null ? null : join(preview).trim(),
      html: join(html),
      text: withLineEnd(join(text).trimEnd().replace(/^\n+/u, '')),
    };
  }

  /** Fills the slots of these numbers; the others stay undefined. */
  slots(numbers: Iterable<number>): string[] {
    const { slots } = this.#template;
    const { fixed } = this.#plan;
    const filled: string[] = [];
    for (const number of numbers) filled[number] = fixed[number] ?? this.#fill(slots[number]!);
    this.#escapeAddresses(filled);
    return filled;
  }

  /** Says for each condition of the template whether what it guards shows. */
  shown(): boolean[] {
    const { placeholders, shows } = this.#input;
    return this.#template.conditions.map((condition) => {
      if (placeholders) return true;
      return 'filters' in condition ? (shows?.[condition.filters] ?? true) : this.#values[condition.variable] !== '';
    });
  }

  #value(name: string, index: number): string {
    const { values, links, currentYear } = this.#input;
    if (name === 'unsubscribeUrl' || name === 'preferencesUrl' || name === 'onlineUrl') return links[name];
    if (name === 'currentYear') return String(currentYear);
    const key = findKey(values, name, this.#plan.keys[index]);
    this.#plan.keys[index] = key;
    const value = key === undefined ? '' : (values[key] ?? '').trim();
    return value === '' && name === 'firstName' ? this.#firstName() : value;
  }

  #firstName(): string {
    const key = findKey(this.#input.values, 'name', undefined);
    return key === undefined ? '' : firstWord(this.#input.values[key] ?? '');
  }

  #valueOr(variable: number, fallback: string | null): string {
    const value = this.#values[variable]!;
    if (value !== '') return value;
    return fallback ?? (this.#input.placeholders ? `[${this.#template.variables[variable]!}]` : '');
  }

  #fill(slot: Slot): string {
    switch (slot.kind) {
      case 'value':
        return escapeFor(slot.mode, this.#valueOr(slot.variable, slot.fallback));
      case 'href':
        return this.#trackedTarget(slot.target);
      case 'src':
        return placed(slot, this.#target(slot.target));
      case 'address':
        return placed(slot, this.#target(slot.target) || this.#trackedTarget(slot.target));
      case 'pixel': {
        const { pixelUrl } = this.#input;
        if (pixelUrl === undefined) return '';
        return pixelImage.before + escapeAddress(pixelUrl) + pixelImage.after;
      }
    }
  }

  /** Few mails have an address that needs escaping; one search over all addresses is faster than one for each. */
  #escapeAddresses(filled: string[]): void {
    if (!needsEscape(this.#tracked.join('\n'))) return;
    for (const [number, { kind }] of this.#template.slots.entries()) {
      if (kind === 'href' && filled[number] !== undefined) filled[number] = escapeAddress(filled[number]);
    }
  }

  #trackedTarget(number: number): string {
    return (this.#tracked[number] ??= this.#track(number, this.#template.targets[number]!));
  }

  #track(number: number, { link, tag }: TemplateTarget): string {
    const target = this.#target(number);
    const { track } = this.#input;
    const counted =
      tag !== null || (this.#plan.literals[number] === null ? isWebAddress(target) : this.#plan.countable[number]!);
    if (track === undefined || link === null || !counted) return target || '#';
    return tag === null ? track(target, link) : track(target === '#' ? '' : target, link, tag);
  }

  #target(number: number): string {
    return (
      this.#plan.literals[number] ?? (this.#targets[number] ??= this.#resolve(this.#template.targets[number]!.parts))
    );
  }

  #resolve(parts: TargetPart[]): string {
    let address = '';
    for (const part of parts) {
      const text = typeof part === 'string' ? part : this.#targetPart(part);
      if (text === null) return '#';
      address += text;
    }
    return address;
  }

  #targetPart(part: Exclude<TargetPart, string>): string | null {
    const value = this.#valueOr(part.variable, part.fallback);
    if (part.as === 'whole') return addressFromValue(value, part.scheme);
    if (part.as === 'own') return value;
    return part.as === 'mailbox' ? encodeMailbox(value) : encodeComponent(value);
  }
}

export const joinSegments = (segments: Segment[], filled: string[], shown: boolean[]): string => {
  let joined = '';
  for (let at = 0; at < segments.length; at += 1) {
    const segment = segments[at]!;
    if (typeof segment === 'string') joined += segment;
    else if (typeof segment === 'number') joined += filled[segment]!;
    else if (!shown[segment.if]) at += segment.skip;
  }
  return joined;
};

/**
 * Personalises a compiled mail: each value is escaped as its place demands; an unknown or empty variable gives its
 * fallback or nothing.
 */
export const renderMail = (template: MailTemplate, input: RenderInput): RenderedMail =>
  new FilledTemplate(template, input).render();
