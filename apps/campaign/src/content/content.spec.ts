import { describe, expect, it } from '@jest/globals';
import { ContentCompiler } from '#content';
import { ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import { pathOfShowIf } from './content.js';
import { ContentService } from './content.service.js';
import type { Mail } from './content.js';

const paragraph = (text: string, attrs: Record<string, unknown> = {}) => ({
  type: 'paragraph',
  attrs,
  content: [{ type: 'text', text }],
});
const mail: Mail = {
  subject: 'Hello {{snippet:Motto}}',
  preview: '{{ snippet: Motto }}{{snippet:Other}}',
  content: { type: 'doc', content: [paragraph('one {{snippet:Third}}')] },
  contentType: 'MAILY',
};
const content = new ContentService(new ContentCompiler());
const caller = { organizationId: 'org_a', deadline: Infinity } as Caller;
const refusalOf = async (act: () => Promise<unknown>) => {
  try {
    await act();
  } catch (error) {
    return error instanceof ToolError ? [error.reason, error.issues![0]!.path.join('.')] : error;
  }
  return 'accepted';
};

describe('content', () => {
  it('names snippets in subject, preview and body, each once', async () => {
    expect((await content.references(mail, caller)).snippets.sort()).toEqual(['Motto', 'Other', 'Third']);
    expect((await content.references({ ...mail, subject: 'x', preview: null }, caller)).snippets).toEqual(['Third']);
  });

  it('is left alone by an edit of metadata', async () => {
    expect(await content.edit(mail, {}, caller)).toBeNull();
    expect(await content.edit(mail, { content: null }, caller)).toBeNull();
  });

  it('is refused with the place inside the parameter that brought it', async () => {
    const bad = { type: 'doc', content: [{ type: 'nonsense' }] };
    expect(await refusalOf(() => content.read('MAILY', bad, caller))).toEqual(['CONTENT_INVALID', 'content.content.0']);
    expect(
      await refusalOf(() => content.edit(mail, { operations: [{ op: 'remove_node', index: 7 }] }, caller)),
    ).toEqual(['OPERATION_FAILED', 'operations.0']);
    const operations = [{ op: 'append_node', node: { type: 'nonsense' } }];
    expect(await refusalOf(() => content.edit(mail, { operations }, caller))).toEqual([
      'CONTENT_INVALID',
      'content.content.1',
    ]);
  });

  it('finds the filters of a conditional block and their paths', () => {
    const showIf = [{ type: 'TAG', operator: 'BELONGS_TO_ANY', tagNames: ['vip'] }];
    const document = { type: 'doc', content: [paragraph('a'), paragraph('b', { showIf })] };
    expect(pathOfShowIf(document, showIf)).toEqual(['content', 1, 'attrs', 'showIf']);
    expect(pathOfShowIf(document, [])).toBeNull();
  });
});
