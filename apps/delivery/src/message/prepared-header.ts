import { coverFields, relaxField } from './dkim-signer.js';
import type { SignedNames } from './dkim-signer.js';
import { headerOctetsMax } from './compose-message.js';

/** A field that differs from message to message; at most one of each name. */
export interface OpenField {
  name: string;
}

const isOpen = (field: string | OpenField): field is OpenField => typeof field !== 'string';

/** Constant text before, between and after open fields, whose numbers are `order`. */
interface Form {
  texts: string[];
  order: number[];
}

const formOf = (items: readonly (string | number)[]): Form => {
  const form: Form = { texts: [''], order: [] };
  for (const [at, item] of items.entries()) {
    const gap = at === 0 ? '' : '\r\n';
    if (typeof item === 'string') form.texts.push(form.texts.pop()! + gap + item);
    else {
      form.texts.push(form.texts.pop()! + gap, '');
      form.order.push(item);
    }
  }
  return form;
};

const join = ({ texts, order }: Form, fields: readonly string[]): string => {
  let joined = texts[0]!;
  for (let at = 0; at < order.length; at += 1) joined += fields[order[at]!]! + texts[at + 1]!;
  return joined;
};

/** The header of a send's messages: constant fields are folded once, and so is their form that DKIM signs. */
export class PreparedHeader {
  readonly names: SignedNames;
  readonly #wire: Form;
  readonly #covered: Form;

  /** @param fields in the order in which they are written, folded */
  constructor(fields: readonly (string | OpenField)[]) {
    const open = fields.filter(isOpen).map(({ name }) => name.toLowerCase());
    const { names, covered } = coverFields(fields.map((field) => (isOpen(field) ? `${field.name}: ` : field)));
    const numberOf = (relaxed: string) => open.indexOf(relaxed.slice(0, relaxed.indexOf(':')));
    this.names = names;
    this.#wire = formOf(fields.map((field) => (isOpen(field) ? open.indexOf(field.name.toLowerCase()) : field)));
    this.#covered = formOf(covered.map((relaxed) => (numberOf(relaxed) < 0 ? relaxed : numberOf(relaxed))));
  }

  /**
   * @param fields the open ones in their order, folded
   * @throws Error when the header is longer than 64 KB
   */
  write(fields: readonly string[]): string {
    const header = join(this.#wire, fields);
    if (header.length > headerOctetsMax) throw new Error('The headers are longer than 64 KB.');
    return header;
  }

  /** Returns the fields that a signature covers, in relaxed form. */
  cover(fields: readonly string[]): string {
    return join(
      this.#covered,
      fields.map((field) => relaxField(field)),
    );
  }
}
