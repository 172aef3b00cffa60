import type { ShowIfFilter } from '../document/document.js';
import { escapeFor, escapeHtml } from '../variable/escape.js';
import type { EscapeMode } from '../variable/escape.js';
import { encodeAddress, isSystemTarget, isTrackable } from '../variable/link-target.js';
import type { LinkTarget } from '../variable/link-target.js';
import type { MailTemplate, Slot, TargetPart, TemplateCondition, TemplateTarget } from './template.js';
import { writeVariable } from '../variable/variable.js';
import type { TagChange, Text, VariableUse } from '../variable/variable.js';

/** When a block shows, as the author wrote it: all filters of the list match, and the variable is not empty. */
export interface Condition {
  filters: ShowIfFilter[] | null;
  variable: string | null;
}

interface Constants {
  get(variable: string): string | null | undefined;
}

/** Numbers equal things equally. */
class Register<T> {
  readonly items: T[] = [];
  readonly #numbers = new Map<string, number>();

  add(item: T, key = JSON.stringify(item)): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.items.length);
    return this.items.push(item) - 1;
  }
}

const MAILBOX_SCHEME = /^(?:mailto|tel|sms):/iu;

/** What an address in a mail begins with; anything else (`/shop`) leads nowhere, and on the online page to us. */
const ABSOLUTE = /^(?:https?:\/\/|mailto:|tel:|sms:|#)/iu;

const isLiteral = (parts: TargetPart[]): parts is string[] => parts.every((part) => typeof part === 'string');

const readable = (parts: Text): string =>
  parts.map((part) => (typeof part === 'string' ? part : writeVariable(part))).join('');

const tagExpression = (tag: TagChange): string =>
  (tag.add ? `{{addTag:${tag.add.join(',')}}}` : '') + (tag.remove ? `{{removeTag:${tag.remove.join(',')}}}` : '');

export class TemplateBuilder {
  readonly #variables = new Register<string>();
  readonly #slots = new Register<Slot>();
  readonly #targets = new Register<TemplateTarget>();
  readonly #links = new Register<string>();
  readonly #conditions = new Register<TemplateCondition>();
  readonly #showIf = new Register<ShowIfFilter[]>();
  readonly #constants: Constants;

  /** `constants` are variables whose value is the same in every message (the organization's). */
  constructor(constants: Constants) {
    this.#constants = constants;
  }

  value(part: string | VariableUse, mode: EscapeMode): string | number {
    if (typeof part === 'string') return escapeFor(mode, part);
    const constant = this.#constants.get(part.variable);
    if (constant !== undefined) return escapeFor(mode, constant || (part.fallback ?? ''));
    return this.#slots.add({ kind: 'value', variable: this.#variable(part.variable), fallback: part.fallback, mode });
  }

  /** Returns an `href` as a literal if it has no variable part, else a slot. */
  href(target: LinkTarget): string | number {
    const number = this.#target(target, true);
    const { parts, link } = this.#targets.items[number]!;
    if (link === null && isLiteral(parts)) return escapeHtml(parts.join('') || '#');
    return this.#slots.add({ kind: 'href', target: number });
  }

  /** Returns the `src` of an image, which is never tracked, as a literal or a slot. */
  src(target: LinkTarget): string | number {
    const number = this.#target(target, false);
    const { parts } = this.#targets.items[number]!;
    if (!isLiteral(parts)) return this.#slots.add({ kind: 'src', target: number });
    return parts[0] === '#' ? '' : escapeHtml(parts.join(''));
  }

  /**
   * Returns an address of the text part, where links keep their real target: a literal, a slot, or '' for a target that
   * leads nowhere.
   */
  address(target: LinkTarget, bare: boolean): string | number {
    const number = this.#target(target, true);
    const { parts, tag } = this.#targets.items[number]!;
    const [before, after] = bare ? (['', ''] as const) : ([' (', ')'] as const);
    if (parts.length === 0 && tag === null) return '';
    if (parts.length === 0 || !isLiteral(parts)) {
      return this.#slots.add({ kind: 'address', target: number, before, after });
    }
    const address = escapeFor('text', parts.join('')).replace(MAILBOX_SCHEME, '');
    return address.startsWith('#') ? '' : before + address + after;
  }

  pixel(): number {
    return this.#slots.add({ kind: 'pixel' });
  }

  conditions({ filters, variable }: Condition): number[] {
    const numbers: number[] = [];
    if (filters !== null && filters.length > 0)
      numbers.push(this.#conditions.add({ filters: this.#showIf.add(filters) }));
    if (variable !== null) numbers.push(this.#conditions.add({ variable: this.#variable(variable) }));
    return numbers;
  }

  finish(): Pick<MailTemplate, 'links' | 'showIf' | 'variables' | 'slots' | 'targets' | 'conditions'> {
    return {
      links: this.#links.items,
      showIf: this.#showIf.items,
      variables: this.#variables.items,
      slots: this.#slots.items,
      targets: this.#targets.items,
      conditions: this.#conditions.items,
    };
  }

  #variable(name: string): number {
    return this.#variables.add(name, name.toLowerCase());
  }

  #target(target: LinkTarget, tracked: boolean): number {
    const { parts, tag } = target;
    const label = readable(parts) + (tag ? tagExpression(tag) : '');
    const link = tracked && isTrackable(target) ? this.#links.add(label) : null;
    return this.#targets.add({ parts: this.#targetParts(target), link, tag });
  }

  #targetParts(target: LinkTarget): TargetPart[] {
    const own = isSystemTarget(target);
    const parts = target.parts.map((part) => this.#constantOf(part));
    if (typeof parts[0] === 'string' && !ABSOLUTE.test(parts[0])) return ['#'];
    const bareScheme = parts.length === 2 && typeof parts[0] === 'string' && /^https?:\/\/$/iu.test(parts[0]);
    const scheme = bareScheme ? (parts.shift() as string) : 'https://';
    const inside = typeof parts[0] === 'string' && MAILBOX_SCHEME.test(parts[0]) ? 'mailbox' : 'component';
    return parts.map((part, index): TargetPart => {
      if (typeof part === 'string') return encodeAddress(part);
      const value = { variable: this.#variable(part.variable), fallback: part.fallback };
      if (index > 0) return { ...value, as: inside };
      return own ? { ...value, as: 'own' } : { ...value, as: 'whole', scheme };
    });
  }

  #constantOf(part: string | VariableUse): string | VariableUse {
    if (typeof part === 'string') return part;
    const constant = this.#constants.get(part.variable);
    return constant === undefined ? part : encodeURIComponent(constant || (part.fallback ?? ''));
  }
}
