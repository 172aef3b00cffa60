import type { ShowIfFilter } from '../document/document.js';
import type { EscapeMode } from '../variable/escape.js';
import type { TagChange } from '../variable/variable.js';

/** Literal text, the number of a slot, or a condition that guards the next `skip` segments. */
export type Segment = string | number | { if: number; skip: number };

/** A part that differs between messages; each is rendered once per message, however often it occurs. */
export type Slot =
  | { kind: 'value'; variable: number; fallback: string | null; mode: EscapeMode }
  /** A link as HTML attribute, tracked where it can be. */
  | { kind: 'href'; target: number }
  /** The address of an image as HTML attribute; empty where a link would lead nowhere, since `#` would be fetched. */
  | { kind: 'src'; target: number }
  /** A target as it really is, for the text part, between `before` and `after`; a tag link, which has none, is tracked. */
  | { kind: 'address'; target: number; before: string; after: string }
  | { kind: 'pixel' };

/**
 * A part of an address: literal text, or a value. A value begins the address (`whole`; `scheme` precedes a bare
 * domain), is within it (`component`), is in a mailto: or tel: address (`mailbox`) or is one of the mail's own links
 * (`own`).
 */
export type TargetPart =
  | string
  | { variable: number; fallback: string | null; as: 'component' | 'mailbox' | 'own' }
  | { variable: number; fallback: string | null; as: 'whole'; scheme: string };

export interface TemplateTarget {
  parts: TargetPart[];
  link: number | null;
  tag: TagChange | null;
}

export type TemplateCondition = { filters: number } | { variable: number };

/** A mail compiled for personalising, as plain JSON; only `links`, `showIf`, `variables` are meant to be read. */
export interface MailTemplate {
  format: 1;
  /** What each numbered link leads to, as written; a tag link without an address is its tag expression. */
  links: string[];
  /** The distinct filter lists that decide on blocks; `shows` of `renderMail` answers them in this order. */
  showIf: ShowIfFilter[][];
  variables: string[];
  subject: Segment[];
  preview: Segment[] | null;
  html: Segment[];
  text: Segment[];
  slots: Slot[];
  targets: TemplateTarget[];
  conditions: TemplateCondition[];
}
