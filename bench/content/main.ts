import { compileMail, parseContent, renderMail } from '#content';
import type { Content, MailTemplate } from '#content';
import { median, report } from '../report.js';
import { renderAgainstBare } from './render.js';

const rounds = 9;
const messages = 20_000;
const organization = { name: 'Acme', address: '1 Main Street, Springfield' };
const page = { unsubscribeUrl: 'https://m.example.com/u/t', preferencesUrl: 'https://m.example.com/p/t' };
const links = { ...page, onlineUrl: 'https://m.example.com/v/t' };

const text = (words: string, href?: string) => ({
  type: 'text',
  text: words,
  ...(href && { marks: [{ type: 'link', attrs: { href } }] }),
});

/** A newsletter of 100 nodes: a greeting, sections of heading, prose with a link and a button, and a footer. */
function newsletter(): Content {
  const section = (n: number) => [
    { type: 'heading', attrs: { level: 2 }, content: [text(`Part ${n}`)] },
    {
      type: 'paragraph',
      content: [
        text(`{{firstName | 'friend'}}, what grows in {{city | 'your town'}}: `),
        text('see', `https://example.com/${n}`),
      ],
    },
    {
      type: 'button',
      attrs: { text: 'Read on', url: `https://example.com/more/${n}${n === 0 ? '?m={{email}}' : ''}` },
    },
  ];
  const hello = { type: 'paragraph', content: [text('Hello')] };
  const footer = { type: 'footer', content: [text('Unsubscribe', '{{unsubscribeUrl}}')] };
  const content = { type: 'doc', content: [hello, ...Array.from({ length: 16 }, (_, n) => section(n)).flat(), footer] };
  const parsed = parseContent('MAILY', content);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.content;
}

const nodesIn = (content: unknown): number =>
  Array.isArray(content)
    ? content.reduce<number>((sum, one: { content?: unknown }) => sum + 1 + nodesIn(one.content), 0)
    : 0;

const compile = (content: Content): MailTemplate =>
  compileMail({
    subject: "{{firstName | 'Friend'}}, news",
    preview: 'In brief',
    type: 'MAILY',
    content,
    snippets: {},
    organization,
    footer: true,
  }).template;

/** One message as the delivery service makes it: values, tracked links and the pixel. */
const personalise = (template: MailTemplate, n: number) =>
  renderMail(template, {
    values: { email: `person-${n}@example.com`, name: `Person ${n}`, city: n % 3 === 0 ? null : `Town & ${n}` },
    links,
    currentYear: 2037,
    track: (target, linkNumber) => `https://m.example.com/c/${linkNumber}.${n}.${target.length}`,
    pixelUrl: `https://m.example.com/o/${n}`,
  });

/** Processor time of the process, garbage collection included: independent of the machine's other load. */
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const content = newsletter();
const compileMs: number[] = [];
const rates: number[] = [];
let bytes = 0;
for (let n = 0; n < 50; n++) personalise(compile(content), n);
for (let round = 0; round < rounds; round++) {
  const compiling = cpuMs();
  for (let n = 0; n < 20; n++) compile(content);
  compileMs.push((cpuMs() - compiling) / 20);
  const template = compile(content);
  const started = cpuMs();
  for (let n = 0; n < messages; n++) bytes += personalise(template, n).html.length;
  rates.push(messages / ((cpuMs() - started) / 1000));
}
const nodes = nodesIn([content]) - 1;
report(
  `content: a document of ${nodes} nodes, ${rounds} rounds, medians, one core`,
  [
    { name: 'compile', ms: median(compileMs) },
    { name: 'personalise', 'a second': median(rates), 'KB of HTML': bytes / rounds / messages / 1024 },
  ],
  [
    { name: 'milliseconds to compile', value: median(compileMs), bar: '<= 5' },
    { name: 'thousand messages a second', value: median(rates) / 1000, bar: '>= 50' },
  ],
);
await renderAgainstBare(content);
