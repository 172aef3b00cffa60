import { describe, expect, it } from '@jest/globals';
import { ToolError } from './tool-error.js';

describe('ToolError', () => {
  it.each<[string, ToolError, string]>([
    ['an id', new ToolError('CAMPAIGN_NOT_FOUND', { id: 'Spring' }), 'No campaign with the id "Spring" exists'],
    ['an id or a name', new ToolError('TAG_NOT_FOUND', { id: 'vip' }), 'No tag with the id or name "vip" exists'],
    [
      'an id or an address',
      new ToolError('SUBSCRIBER_NOT_FOUND', { id: 'ada@example.com' }),
      'No subscriber with the id or email "ada@example.com" exists',
    ],
    [
      'an id alone where others take a name too',
      new ToolError('SNIPPET_NOT_FOUND', { id: 'Signature', by: 'id' }),
      'No snippet with the id "Signature" exists',
    ],
  ])('says what was looked for: %s', (_case, error, sentence) => {
    expect(error.message).toContain(sentence);
  });
});
