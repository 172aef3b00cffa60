import { execFileSync } from 'node:child_process';

const types = ['feat', 'fix', 'refactor', 'perf', 'test', 'docs', 'build', 'ci', 'chore', 'style'];
const form = new RegExp(`^(?:${types.join('|')})(?:\\([a-z0-9][a-z0-9-]*\\))?!?: (.+)$`);
const longest = 72;

/**
 * The problems of a commit subject.
 * @param {string} subject @returns {string[]}
 */
export function checkSubject(subject) {
  // Git writes these itself; a commit to fix up another is gone before it is shared.
  if (/^(Merge|Revert) |^(fixup|squash|amend)! /.test(subject)) return [];
  const text = form.exec(subject)?.[1];
  const wrong = [
    subject.length > longest && `${subject.length} characters, at most ${longest}`,
    text === undefined && `not of the form type(scope): imperative, with the type one of ${types.join(', ')}`,
    text !== undefined && /^\p{Lu}/u.test(text) && 'begins with a capital after the colon',
    subject.endsWith('.') && 'ends with a full stop',
  ];
  return wrong.filter((one) => one !== false);
}

/**
 * The commits after the one that added `file`, newest first; those of branches begun before it are left out.
 * @param {string} root @param {string} file
 * @returns {{ hash: string, subject: string }[] | string} or why there are none to check
 */
export function commitsSince(root, file) {
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    if (git('rev-parse', '--is-shallow-repository') === 'true') return 'the clone is shallow';
    const added = git('log', '--diff-filter=A', '--format=%H', '--', file).split('\n').at(-1);
    if (!added) return `no commit adds ${file}`;
    const log = git('log', '--format=%h %s', '--ancestry-path', `${added}..HEAD`);
    return log === ''
      ? []
      : log.split('\n').map((line) => ({ hash: line.split(' ')[0] ?? '', subject: line.replace(/^\S+ /, '') }));
  } catch {
    return 'this is no clone with a history';
  }
}
