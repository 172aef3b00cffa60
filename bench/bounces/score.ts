import type { MailReport } from '../../apps/delivery/src/report/bounce/report.js';

/** What a label file says of one mail, recipient by recipient. */
export interface Label {
  file: string;
  /** Words of the corpus for what happened, such as `userunknown`. */
  classes: string[];
  /** Whether the corpus calls each recipient's address dead. */
  hard: boolean[];
}

/** How a mail was read, beside its label. */
export interface Scored extends Label {
  kind: MailReport['kind'] | 'crash';
  /** Whether each recipient that is reported as failed is called dead; empty where nothing is. */
  found: boolean[];
  agrees: boolean;
  /** An address was called dead that is not: the worst error. */
  falseHard: boolean;
}

/**
 * Reads a label file: a line for each mail, with its file name, the class of each recipient and `hard` or `soft` for each,
 * in columns separated by tabs and lists separated by commas. Lines that begin with # are left out.
 * @throws Error that names a line with another form
 */
export function readLabels(text: string): Label[] {
  return text.split('\n').flatMap((line, at) => {
    if (line.trim() === '' || line.startsWith('#')) return [];
    const [file, classes, hard] = line.split('\t');
    const words = hard?.trim().split(',') ?? [];
    if (!file || !classes || words.length === 0 || words.some((word) => word !== 'hard' && word !== 'soft')) {
      throw new Error(`Line ${at + 1} of the labels must be: file, classes, hard or soft, separated by tabs.`);
    }
    return [{ file, classes: classes.split(','), hard: words.map((word) => word === 'hard') }];
  });
}

/** Compares the reading of a mail with its label. A mail that is no bounce calls no address dead. */
export function score(label: Label, report: MailReport | null): Scored {
  const found =
    report?.kind === 'bounce'
      ? report.recipients.map(({ action, bounceType }) => action === 'failed' && bounceType === 'HARD')
      : [];
  const count = (flags: readonly boolean[]) => flags.filter(Boolean).length;
  const [wanted, got] = [count(label.hard), count(found)];
  return { ...label, kind: report?.kind ?? 'crash', found, agrees: wanted === got, falseHard: got > wanted };
}

/** Sums up scored mails: shares are in percent of all mails of the line. */
export function summarize(scored: readonly Scored[]): Record<string, string>[] {
  const classes = [...new Set(scored.map(({ classes: [first] }) => first!))].sort();
  const line = (name: string, mails: readonly Scored[]) => {
    const share = (test: (one: Scored) => boolean) =>
      `${((100 * mails.filter(test).length) / mails.length).toFixed(1)} %`;
    return {
      class: name,
      mails: String(mails.length),
      agrees: share(({ agrees }) => agrees),
      falseHard: share(({ falseHard }) => falseHard),
      missedHard: share(({ agrees, falseHard }) => !agrees && !falseHard),
      bounce: share(({ kind }) => kind === 'bounce'),
    };
  };
  return [
    ...classes.map((name) =>
      line(
        name,
        scored.filter(({ classes: [first] }) => first === name),
      ),
    ),
    line('all', scored),
  ];
}
