/** Longer than the text of any server. */
export const textLengthMax = 64 * 1024;
/** RFC 5322 2.1.1, with its line end. */
const lineLengthMax = 1000;

/**
 * Returns the part of a text that patterns may be tried on: its beginning, with LF for every line end, and the
 * beginning of each line.
 */
export const boundedText = (text: string): string =>
  text
    .slice(0, textLengthMax)
    .split(/\r\n|\r|\n/)
    .map(boundedLine)
    .join('\n');

export const boundedLine = (line: string): string => line.slice(0, lineLengthMax);
