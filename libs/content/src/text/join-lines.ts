/** Returns a text as one line, such as a subject: each run of line breaks and control characters becomes a space. */
export const joinLines = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
