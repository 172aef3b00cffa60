import { createInterface } from 'node:readline/promises';

/** A command's output: results to one stream, all else to the other. */
export interface Terminal {
  say(line: string): void;
  /** A line for the operator, beside the result. */
  note(line: string): void;
  readonly redraws: boolean;
  /** Overwrites the last such line, only where `redraws`; an empty text erases it. */
  redraw(line: string): void;
  /** Asks a question that is answered by yes or no. @returns null where no person can answer */
  ask(question: string): Promise<boolean | null>;
}

export const processTerminal: Terminal = {
  say: (line) => void process.stdout.write(`${line}\n`),
  note: (line) => void process.stderr.write(`${line}\n`),
  redraws: process.stderr.isTTY,
  redraw: (line) => void process.stderr.write(`\r\x1b[2K${line.slice(0, (process.stderr.columns ?? 80) - 1)}`),
  ask: async (question) => {
    if (!process.stdin.isTTY || !process.stderr.isTTY) return null;
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
    } finally {
      lines.close();
    }
  },
};

/** Ends the process with status 0 when a reader such as `head` has read enough and closed the pipe. */
export function endQuietlyWhenUnread(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
}

/** Characters that move the cursor, break lines or change the direction of writing. */
const controls = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Shows each line as one line, since API callers choose the names shown here, and a person must approve exactly the
 * text they read.
 */
export function plainLines(terminal: Terminal): Terminal {
  const plain = (line: string) => line.replace(controls, ' ');
  return {
    say: (line) => terminal.say(plain(line)),
    note: (line) => terminal.note(plain(line)),
    redraws: terminal.redraws,
    redraw: (line) => terminal.redraw(plain(line)),
    ask: (question) => terminal.ask(plain(question)),
  };
}

/** A JSON document in one line, in which such characters are escaped. */
export const jsonLine = (value: unknown): string =>
  JSON.stringify(value).replace(controls, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Aligns rows in columns as wide as their widest cell; the first row holds the headings. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}

/** A cell's text; a hyphen for a missing value. */
export const cellText = (value: string | number | null | undefined): string => String(value ?? '-');
