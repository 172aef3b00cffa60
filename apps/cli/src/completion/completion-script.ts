import type { Command } from '../command.js';

export type Shell = 'bash' | 'zsh';

interface Following {
  words: Set<string>;
  takesFile: boolean;
}

const takesFile = (name: string | undefined): boolean => /FILE/.test(name ?? '');

/**
 * The lines of a script that completes the command `tidings`: its words, the options of the chosen command, the values
 * of options that have a fixed set, tool names after `call`, and files where one is expected.
 */
export function completionScript(shell: Shell, commands: readonly Command[], tools: readonly string[]): string[] {
  const following = followingWords(commands, tools);
  const cases = [...following].map(
    ([typed, { words, takesFile: isFile }]) =>
      `    ${quote(typed)}) words=${quote([...words].sort().join(' '))}; files=${isFile ? 1 : 0} ;;`,
  );
  const values = [...optionValues(commands)].map(([option, kind]) =>
    kind === 'file' ? `    ${option}) files=1 ;;` : `    ${option}) words=${quote(kind)} ;;`,
  );
  return [
    ...(shell === 'zsh' ? ['autoload -Uz bashcompinit && bashcompinit'] : []),
    '_tidings() {',
    '  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" words="" files=0 value=1 typed="" at',
    '  # The value of an option.',
    '  case "$previous" in',
    ...values,
    '    *) value=0 ;;',
    '  esac',
    '  if [ "$value" = 0 ]; then',
    '    # The longest command that the typed words begin with.',
    '    for ((at = COMP_CWORD - 1; at >= 1; at--)); do',
    '      typed="${COMP_WORDS[*]:1:at}"',
    '      case "$typed" in',
    ...cases.map((line) => `    ${line}`),
    '        *) continue ;;',
    '      esac',
    '      break',
    '    done',
    `    if [ -z "$words" ] && [ "$COMP_CWORD" = 1 ]; then words=${quote([...following.get('')!.words].sort().join(' '))}; fi`,
    '  fi',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '  if [ "$files" = 1 ]; then COMPREPLY+=($(compgen -f -- "$current")); fi',
    '}',
    'complete -o filenames -F _tidings tidings',
  ];
}

/** For all beginnings of commands, the words that may follow. */
function followingWords(commands: readonly Command[], tools: readonly string[]): Map<string, Following> {
  const following = new Map<string, Following>();
  const at = (typed: readonly string[]): Following => {
    const key = typed.join(' ');
    const found = following.get(key) ?? { words: new Set<string>(), takesFile: false };
    following.set(key, found);
    return found;
  };
  for (const { words, aliases = [], options = {}, parameters = [] } of commands) {
    words.forEach((word, place) => at(words.slice(0, place)).words.add(word));
    for (const typed of [words, ...aliases]) {
      const end = at(typed);
      for (const option of ['help', ...Object.keys(options)]) end.words.add(`--${option}`);
      if (parameters[0] === 'TOOL') for (const tool of tools) end.words.add(tool);
      for (const choice of parameters[0]?.includes('|') ? parameters[0].split('|') : [])
        if (/^[a-z]+$/.test(choice)) end.words.add(choice);
      if (parameters.some(takesFile)) end.takesFile = true;
    }
  }
  return following;
}

/** For each option with a value, its choices, or that it is a file; '' for any other text. */
function optionValues(commands: readonly Command[]): Map<string, string> {
  const values = new Map<string, string>();
  for (const { options = {} } of commands) {
    for (const [name, { value, choices = [] }] of Object.entries(options)) {
      if (value === undefined) continue;
      values.set(`--${name}`, takesFile(value) ? 'file' : choices.join(' '));
    }
  }
  return values;
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
