import { describe, expect, it } from '@jest/globals';
import { mayComeFrom } from './web-origin.js';

const ours = 'https://mail.acme.example/';

describe('an Origin that may speak MCP', () => {
  it.each([
    undefined,
    'https://mail.acme.example',
    'http://localhost:6274',
    'http://[::1]:80',
    'vscode-webview://1a2b',
  ])('is %s', (origin) => expect(mayComeFrom(origin, ours)).toBe(true));

  it.each([
    ...[
      'https://evil.example',
      'https://acme.example',
      'https://mail.acme.example:8443',
      'https://localhost.evil.example',
    ],
    ...['null', ''],
  ])('is not "%s"', (origin) => expect(mayComeFrom(origin, ours)).toBe(false));
});
