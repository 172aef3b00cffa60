/** How an author writes: Maily's rich-text document, the same normalised from Plate, or Markdown text. */
export type ContentType = 'MAILY' | 'PLATE' | 'MARKDOWN';

export interface Mark {
  type: string;
  attrs?: Record<string, unknown>;
}

/** One node of a rich-text document; the root has type `doc`. */
export interface DocumentNode {
  type: string;
  attrs?: Record<string, unknown>;
  content?: DocumentNode[];
  marks?: Mark[];
  text?: string;
}

/** The stored form: an object for documents, text for MARKDOWN. */
export type Content = DocumentNode | string;

/** The way to a node or attribute, as in a JSON document: `['content', 2, 'attrs', 'src']`. */
export type Path = (string | number)[];

export interface Issue {
  path: Path;
  message: string;
}

/** One filter of a `showIf` list; what it means is the subscriber service's to say. */
export type ShowIfFilter = Record<string, unknown>;

export type WarningCode =
  /** Plate or HTML held something mail cannot show; it was left out. */
  | 'CONTENT_DROPPED'
  /** A text that a new mail begins with is still there. */
  | 'CONTENT_UNTOUCHED'
  | 'FALLBACK_MISSING'
  /** Over 102 KB: Gmail cuts the mail there. */
  | 'HTML_TOO_LARGE'
  | 'IMAGE_ALT_MISSING'
  | 'IMAGE_HEAVY'
  | 'LINK_NOT_HTTPS'
  /** An address of a link or image that only means something on a website (`/shop`). */
  | 'LINK_RELATIVE'
  | 'ORGANIZATION_ADDRESS_MISSING'
  | 'PARAGRAPH_EMPTY'
  /** Named within a line, and more than fits there. */
  | 'SNIPPET_IN_LINE'
  | 'SNIPPET_MISSING'
  | 'SNIPPET_NESTED'
  | 'SUBJECT_LONG'
  | 'SUBJECT_UNTOUCHED'
  /** Neither built in nor a custom field: every recipient would get the fallback, or nothing. */
  | 'VARIABLE_UNKNOWN';

/** What an author should look at; nothing is refused for it. */
export interface Warning {
  code: WarningCode;
  message: string;
  path?: Path;
}

export interface Snippet {
  name: string;
  content: DocumentNode;
}
