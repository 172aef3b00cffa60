import type { z } from 'zod';
import { operatorEnvironment } from '../src/config.js';
import { operate } from '../src/operator.js';
import { Session } from '../src/session.js';

export type TypedCommand = (...args: string[]) => Promise<{
  status: number;
  /** Lines of the result. */
  said: string[];
  /** Lines beside it, and questions. */
  noted: string[];
  /** The last line of the result. */
  last: string;
}>;

/**
 * Runs commands. @returns the exit status of each, and its output on both streams
 * @param answer what a person answers to each question; null for none at the terminal
 */
export const cliFixture =
  (environment: z.input<typeof operatorEnvironment>, answer: boolean | null = null): TypedCommand =>
  async (...args) => {
    const said: string[] = [];
    const noted: string[] = [];
    const terminal = {
      say: (line: string) => void said.push(line),
      note: (line: string) => void noted.push(line),
      redraws: false,
      redraw: () => undefined,
      ask: (question: string) => {
        noted.push(question);
        return Promise.resolve(answer);
      },
    };
    const status = await operate(args, new Session(terminal, operatorEnvironment.parse(environment)));
    return { status, said, noted, last: said.at(-1)! };
  };
