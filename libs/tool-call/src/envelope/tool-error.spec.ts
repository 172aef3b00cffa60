import { describe, expect, it } from '@jest/globals';
import { ToolError } from './tool-error.js';

describe('ToolError', () => {
  it.each<[string, ToolError, string]>([
    ['an id', new ToolError('CAMPAIGN_NOT_FOUND', { id: 'Spring' }), 'No campaign with the id "Spring" exists'],
    ['a name', new ToolError('TAG_NOT_FOUND', { id: 'vip', by: 'name' }), 'No tag with the name "vip" exists'],
  ])('says what was looked for: %s', (_case, error, sentence) => {
    expect(error.message).toContain(sentence);
  });
});
