import { describe, expect, it } from '@jest/globals';
import { isCustomHeaderAllowed, reservedHeaders } from './custom-header.js';

describe('isCustomHeaderAllowed', () => {
  it.each(['X-Order', 'x-a', 'References', 'In-Reply-To', 'Precedence', 'List-Help', 'Importance'])(
    'allows %s',
    (name) => {
      expect(isCustomHeaderAllowed(name)).toBe(true);
    },
  );

  it.each([
    ...[
      'From',
      'TO',
      'cc',
      'Bcc',
      'Date',
      'Message-Id',
      'DKIM-Signature',
      'Return-Path',
      'Received',
      'Sender',
      'Subject',
    ],
    ...['Content-Type', 'content-disposition', 'MIME-Version', 'List-Unsubscribe', 'List-Unsubscribe-Post', 'Reply-To'],
    ...['Resent-From', 'ARC-Seal', 'Authentication-Results'],
    ...['', 'X Y', 'X:Y', 'X\r\nBcc', 'Überschrift', 'X-\0', 'X'.repeat(77)],
  ])('refuses %j', (name) => {
    expect(isCustomHeaderAllowed(name)).toBe(false);
  });

  it('lists reserved names in lower case, for messages and documents', () => {
    expect(reservedHeaders.names).toContain('bcc');
    expect(reservedHeaders.prefixes).toContain('content-');
  });
});
