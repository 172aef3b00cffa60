import { describe, expect, it } from '@jest/globals';
import { ToolError } from './tool-error.js';

describe('ToolError', () => {
  it.each<[string, ToolError, string]>([
    [
      'an id',
      new ToolError('CAMPAIGN_NOT_FOUND', { id: 'Spring' }),
      'No campaign with id "Spring" in this organization',
    ],
    [
      'a name',
      new ToolError('TAG_NOT_FOUND', { id: 'vip', by: 'name' }),
      'No tag with name "vip" in this organization',
    ],
  ])('names the searched value: %s', (_case, error, sentence) => {
    expect(error.message).toContain(sentence);
  });
});
