/** The subset of PromQL in our rules: https://prometheus.io/docs/prometheus/latest/querying/basics/ */
const functions = new Set(
  (
    'abs absent avg count delta histogram_quantile increase max min min_over_time max_over_time rate scalar sum topk vector ' +
    'by without on ignoring group_left group_right'
  ).split(' '),
);
const words = new Set(['and', 'or', 'unless', 'offset', 'bool']);
const token =
  /\s+|"(?:[^"\\]|\\.)*"|\[[\w$]+\]|\d+[smhdwy]\b|\d+(?:\.\d+)?(?:e[+-]?\d+)?|[a-zA-Z_:][\w:]*|[=!]~|[=!<>]=|[-+*/%^<>=(){},]/y;

/** A metric that an expression asks for, with the labels it names in braces. */
export interface AskedMetric {
  name: string;
  labels: string[];
}

/** Reads an expression. @throws Error for what cannot be PromQL @returns the metrics it asks for */
export function metricsOf(expression: string): AskedMetric[] {
  const tokens = tokensOf(expression);
  const metrics: AskedMetric[] = [];
  const open: string[] = [];
  for (const [place, text] of tokens.entries()) {
    const next = tokens[place + 1];
    if (text === '(' || text === '{') open.push(text === '(' && isGrouping(tokens[place - 1]) ? 'labels' : text);
    else if (text === ')' || text === '}') {
      const opened = open.pop();
      if (opened === undefined || (opened === '{') !== (text === '}'))
        throw new Error(`${expression}: ${text} too much`);
    } else if (!/^[a-zA-Z_]/.test(text) || words.has(text) || open.at(-1) === 'labels') continue;
    else if (open.at(-1) === '{') metrics.at(-1)!.labels.push(text);
    else if (next === '(' || functions.has(text)) {
      if (!functions.has(text)) throw new Error(`${expression}: ${text} is no function`);
    } else metrics.push({ name: text, labels: [] });
  }
  if (open.length > 0) throw new Error(`${expression}: something is not closed`);
  return metrics;
}

function tokensOf(expression: string): string[] {
  const tokens: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < expression.length) {
    const at = token.lastIndex;
    const [text] = token.exec(expression) ?? [];
    if (text === undefined) throw new Error(`${expression}: cannot be read at ${expression.slice(at, at + 20)}`);
    if (text.trim() !== '') tokens.push(text);
  }
  return tokens;
}

const isGrouping = (before: string | undefined): boolean =>
  ['by', 'without', 'on', 'ignoring', 'group_left', 'group_right'].includes(before ?? '');
