import { describe, expect, it } from '@jest/globals';
import { renderSource } from './render-source.js';
import type { MailSource, RenderRequest } from './render-source.js';

const now = new Date('2026-03-01T12:00:00Z');
const customers = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['customer'] }];
const paragraph = (text: string, attrs: object = {}) => ({
  type: 'paragraph',
  attrs,
  content: [{ type: 'text', text }],
});
const content = {
  type: 'doc',
  content: [
    {
      type: 'paragraph',
      content: [
        { type: 'text', text: 'Hello ' },
        { type: 'variable', attrs: { id: 'firstName', fallback: 'there' } },
      ],
    },
    paragraph('For customers', { showIf: customers }),
    { type: 'snippet', attrs: { snippetId: 'snp_1' } },
  ],
};
const signature = { name: 'Signature', content: { type: 'doc', content: [paragraph('Your team')] } };

const request = (part: Partial<RenderRequest> = {}, source: Partial<MailSource> = {}): RenderRequest => ({
  source: { subject: 'Hello {{firstName}}', preview: '', contentType: 'MAILY', content, ...source },
  organization: { name: 'Garden', address: 'Way 1', timezone: 'UTC' } as RenderRequest['organization'],
  snippets: {},
  merge: null,
  ...part,
});
const mailOf = (asked: RenderRequest) => {
  const { result } = renderSource(asked, now);
  if (!('mail' in result)) throw new Error(result.problems.join());
  return result.mail;
};

describe('renderSource', () => {
  it('renders a sample without a subscriber: every block, and names in place of values', () => {
    const { subject, text } = mailOf(request());
    expect(subject).toBe('Hello [firstName]');
    expect(text).toContain('Hello there');
    expect(text).toContain('For customers');
  });

  it("renders a subscriber's copy: its values, and only the blocks that it gets", () => {
    const values = { name: 'Ada Lovelace', firstName: null };
    const of = (shows: boolean) =>
      mailOf(request({ merge: { values, shows: { [JSON.stringify(customers)]: shows } } }));
    expect(of(true).subject).toBe('Hello Ada');
    expect(of(true).text).toContain('For customers');
    expect(of(false).text).not.toContain('For customers');
  });

  it('says what else it needs, and renders snippets once they are there', () => {
    const { needs } = renderSource(request(), now);
    expect(needs).toEqual({ snippets: ['snp_1'], showIf: [customers] });
    expect(mailOf(request()).warnings.map(({ code }) => code)).toContain('SNIPPET_MISSING');
    const whole = mailOf(request({ snippets: { snp_1: signature } as never }));
    expect(whole.text).toContain('Your team');
    expect(whole.warnings.map(({ code }) => code)).not.toContain('SNIPPET_MISSING');
  });

  it('adds the footer to a mail, and not to a part of mails', () => {
    expect(mailOf(request()).text).toContain('Way 1');
    expect(mailOf(request({}, { isPart: true })).text).not.toContain('Way 1');
  });

  it('names the problems of what cannot be rendered', () => {
    const broken = { type: 'doc', content: [{ type: 'nonsense' }] };
    const { result } = renderSource(request({}, { content: broken }), now);
    expect(result).toEqual({ problems: [expect.stringContaining('content.0')] });
  });
});
