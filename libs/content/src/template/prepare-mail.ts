import { escapeAddress, escapeFor } from '../variable/escape.js';
import type { TagChange } from '../variable/variable.js';
import { FilledTemplate, joinSegments, pixelImage, placed, planOf } from './render-mail.js';
import type { RenderInput } from './render-mail.js';
import type { MailTemplate, Segment, Slot, TemplateTarget } from './template.js';

/** Constant text, the number of a value, an address that is completed per message, or a condition as in a template. */
export type PreparedSegment<U extends object> = string | number | { if: number; skip: number } | { url: U };

/** What is the same in all messages of a send; `U` stands for an address that is completed per message. */
export interface PrepareInput<U extends object> {
  /** The year of `{{currentYear}}`. */
  currentYear: number;
  links: { unsubscribeUrl: U; preferencesUrl: U; onlineUrl: U };
  /** The address that counts a click; text for one that is the same in all messages. Arguments as in `RenderInput`. */
  track: (target: string, linkNumber: number, tag?: TagChange) => U | string;
  pixel: U | null;
}

/** What differs between the messages: `links` and `track` serve addresses that hold values. */
export type PreparedValues = Pick<RenderInput, 'values' | 'shows' | 'links' | 'track'>;

export interface PreparedMail<U extends object> {
  html: PreparedSegment<U>[];
  /** Not trimmed: line ends at its beginning and white space at its end are to be removed per message. */
  text: PreparedSegment<U>[];
  /** Fills one message: `values` by the numbers in `html` and `text`, `shown` by the numbers of the conditions. */
  fill: (input: PreparedValues) => { subject: string; values: string[]; shown: boolean[] };
}

const SYSTEM_LINKS = ['unsubscribeUrl', 'preferencesUrl', 'onlineUrl'] as const;
type SystemLink = (typeof SYSTEM_LINKS)[number];

class Preparation<U extends object> {
  readonly #template: MailTemplate;
  readonly #input: PrepareInput<U>;
  readonly #slots: PreparedSegment<U>[][];

  constructor(template: MailTemplate, input: PrepareInput<U>) {
    this.#template = template;
    this.#input = input;
    const { fixed } = planOf(template);
    this.#slots = template.slots.map((slot, number) => {
      const literal = fixed[number];
      return literal === undefined ? this.#slot(slot, number) : [literal];
    });
  }

  /** Replaces the slots that are known, and joins constant text as far as conditions allow. */
  segments(segments: Segment[]): PreparedSegment<U>[] {
    const prepared: PreparedSegment<U>[] = [];
    let edge = 0;
    for (let at = 0; at < segments.length; at += 1) {
      const segment = segments[at]!;
      if (typeof segment === 'object') {
        const inner = this.segments(segments.slice(at + 1, at + 1 + segment.skip));
        prepared.push({ if: segment.if, skip: inner.length }, ...inner);
        at += segment.skip;
        edge = prepared.length;
        continue;
      }
      for (const one of typeof segment === 'number' ? this.#slots[segment]! : [segment]) {
        const last = prepared.length - 1;
        const before = prepared[last];
        if (typeof one === 'string' && typeof before === 'string' && last >= edge) prepared[last] = before + one;
        else if (one !== '') prepared.push(one);
      }
    }
    return prepared;
  }

  #slot(slot: Slot, number: number): PreparedSegment<U>[] {
    if (slot.kind === 'pixel') {
      const { pixel } = this.#input;
      return pixel === null ? [] : [pixelImage.before, { url: pixel }, pixelImage.after];
    }
    if (slot.kind === 'value') {
      if (slot.mode !== 'header' && this.#isSystemLink(slot.variable))
        return [{ url: this.#systemLink(slot.variable) }];
      if (this.#template.variables[slot.variable] !== 'currentYear') return [number];
      return [escapeFor(slot.mode, String(this.#input.currentYear))];
    }
    const target = this.#target(this.#template.targets[slot.target]!, slot.target);
    if (target === null || slot.kind === 'src') return [number];
    if (slot.kind === 'href') return [typeof target === 'string' ? escapeAddress(target || '#') : { url: target }];
    return typeof target === 'string' ? [placed(slot, target)] : [slot.before, { url: target }, slot.after];
  }

  /** Returns where a link leads, tracked where it can be; null when that differs between messages. */
  #target({ parts, link, tag }: TemplateTarget, number: number): U | string | null {
    const { literals, countable } = planOf(this.#template);
    const [first] = parts;
    if (parts.length === 1 && typeof first === 'object' && first.as === 'own') {
      return this.#isSystemLink(first.variable) ? this.#systemLink(first.variable) : null;
    }
    const literal = literals[number]!;
    if (literal === null) return null;
    if (link === null || (tag === null && !countable[number])) return literal;
    return tag === null
      ? this.#input.track(literal, link)
      : this.#input.track(literal === '#' ? '' : literal, link, tag);
  }

  #isSystemLink(variable: number): boolean {
    return SYSTEM_LINKS.some((name) => name === this.#template.variables[variable]);
  }

  #systemLink(variable: number): U {
    return this.#input.links[this.#template.variables[variable] as SystemLink];
  }
}

const numbersIn = (segments: PreparedSegment<object>[]): number[] =>
  segments.filter((segment) => typeof segment === 'number');

/**
 * Prepares a compiled mail for a send: what `renderMail` would write, with everything resolved that is the same in all
 * messages. An `U` must be an address that needs no escaping in HTML.
 */
export const prepareMail = <U extends object>(template: MailTemplate, input: PrepareInput<U>): PreparedMail<U> => {
  const preparation = new Preparation(template, input);
  const html = preparation.segments(template.html);
  const text = preparation.segments(template.text);
  const numbers = [...new Set([...numbersIn(html), ...numbersIn(text), ...template.subject.filter(isSlot)])];
  const { currentYear } = input;
  return {
    html,
    text,
    fill: (values) => {
      const filled = new FilledTemplate(template, { ...values, currentYear });
      const [slots, shown] = [filled.slots(numbers), filled.shown()];
      return { subject: joinSegments(template.subject, slots, shown).trim(), values: slots, shown };
    },
  };
};

const isSlot = (segment: Segment): segment is number => typeof segment === 'number';
