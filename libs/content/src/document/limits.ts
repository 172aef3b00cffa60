/** A document nested deeper is refused: the depth of a request body. */
export const DEPTH_MAX = 32;
/** A 100-node mail is a long one; 5,000 keep validation within a few milliseconds. */
export const NODES_MAX = 5_000;
/** Characters of all text and attributes together; three times what Gmail shows. */
export const TEXT_MAX = 300_000;
/** Elements of an author's HTML nest deeper than documents do: each layout table counts four. */
export const HTML_DEPTH_MAX = 100;
/** After so many, a list of issues tells nobody more. */
export const ISSUES_MAX = 50;
