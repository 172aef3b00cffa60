/** A text as one line, such as a subject: line breaks and control characters become spaces. */
export const joinLines = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
