import { describe, expect, it } from '@jest/globals';
import { ReplyReader } from './reply-reader.js';

describe('ReplyReader', () => {
  const whole = '250-first\r\n250 second\r\n354 go\r\n250\r\n';

  it('gives whole replies, however they arrive', () => {
    expect(new ReplyReader().read(Buffer.from(whole))).toEqual(['250-first\n250 second', '354 go', '250']);
    const reader = new ReplyReader();
    const replies = [...whole].flatMap((letter) => reader.read(Buffer.from(letter)) ?? ['nonsense']);
    expect(replies).toEqual(['250-first\n250 second', '354 go', '250']);
  });

  it('reads UTF-8 and bare line feeds', () => {
    expect(new ReplyReader().read(Buffer.from('550 Größe\n'))).toEqual(['550 Größe']);
  });

  it('refuses a malformed reply and a reply that never ends', () => {
    expect(new ReplyReader().read(Buffer.from('HTTP/1.1 400 Bad Request\r\n'))).toBeNull();
    expect(new ReplyReader().read(Buffer.from('250ok\r\n'))).toBeNull();
    expect(new ReplyReader().read(Buffer.alloc(70_000, 'x'))).toBeNull();
    expect(new ReplyReader().read(Buffer.from('250-more\r\n'.repeat(10_000)))).toBeNull();
  });
});
