/** A document nested deeper is refused: the depth of a request body. */
export const DEPTH_MAX = 32;
/** A 100-node mail is a long one; 5,000 keep validation within a few milliseconds. */
export const NODES_MAX = 5_000;
/**
 * Elements that Markdown and HTML of one content come to: as many as a document has nodes. Table cells, list items,
 * line breaks, links and emphasis count; text does not.
 */
export const ELEMENTS_MAX = NODES_MAX;
export const TOO_MANY_ELEMENTS = `has more than ${ELEMENTS_MAX} elements (table cells, list items, line breaks, links …); shorten it or split it into several mails`;
/** Characters of all text and attributes together; three times what Gmail shows. */
export const TEXT_MAX = 300_000;
export const HTML_DEPTH_MAX = 100;
/** Maximum number of listed issues; more would not help the author. */
export const ISSUES_MAX = 50;

/** Levels of objects and lists in the JSON of such a document: two a node, and some for its attributes. */
const JSON_DEPTH_MAX = 3 * DEPTH_MAX;

/** Whether a value parsed from JSON nests deeper than any document may; checked before any recursion. */
export const nestsTooDeep = (value: unknown): boolean => {
  let level: object[] = isObject(value) ? [value] : [];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > JSON_DEPTH_MAX) return true;
    const next: object[] = [];
    for (const one of level) for (const inner of Object.values(one) as unknown[]) if (isObject(inner)) next.push(inner);
    level = next;
  }
  return false;
};

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
