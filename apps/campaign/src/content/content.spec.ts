import { describe, expect, it } from '@jest/globals';
import { ToolError } from '#tool-call';
import { editContent, pathOfShowIf, readContent, snippetReferences } from './content.js';
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
const refusalOf = (act: () => unknown) => {
  try {
    act();
  } catch (error) {
    return error instanceof ToolError ? [error.reason, error.issues![0]!.path.join('.')] : error;
  }
  return 'accepted';
};

describe('content', () => {
  it('names snippets in subject, preview and body, each once', () => {
    expect(snippetReferences(mail).sort()).toEqual(['Motto', 'Other', 'Third']);
    expect(snippetReferences({ ...mail, subject: 'x', preview: null })).toEqual(['Third']);
  });

  it('is left alone by an edit of metadata', () => {
    expect(editContent(mail, {})).toBeNull();
    expect(editContent(mail, { content: null })).toBeNull();
  });

  it('is refused with the place inside the parameter that brought it', () => {
    const bad = { type: 'doc', content: [{ type: 'nonsense' }] };
    expect(refusalOf(() => readContent('MAILY', bad))).toEqual(['CONTENT_INVALID', 'content.content.0']);
    expect(refusalOf(() => editContent(mail, { operations: [{ op: 'remove_node', index: 7 }] }))).toEqual([
      'OPERATION_FAILED',
      'operations.0',
    ]);
    const operations = [{ op: 'append_node', node: { type: 'nonsense' } }];
    expect(refusalOf(() => editContent(mail, { operations }))).toEqual(['CONTENT_INVALID', 'content.content.1']);
  });

  it('knows where the filters of a conditional block stand', () => {
    const showIf = [{ type: 'TAG', operator: 'BELONGS_TO_ANY', tagNames: ['vip'] }];
    const content = { type: 'doc', content: [paragraph('a'), paragraph('b', { showIf })] };
    expect(pathOfShowIf(content, showIf)).toEqual(['content', 1, 'attrs', 'showIf']);
    expect(pathOfShowIf(content, [])).toBeNull();
  });
});
