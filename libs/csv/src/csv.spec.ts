import { describe, expect, it } from '@jest/globals';
import { csvRecord, guarded, guardedPhone } from './csv.js';

describe('a record of CSV', () => {
  it('quotes what RFC 4180 says must be, doubles quotes, and ends with CRLF', () => {
    expect(csvRecord(['a', 'b c', 'd,e', 'f"g', 'h\r\ni', 'j\nk', ''])).toBe('a,b c,"d,e","f""g","h\r\ni","j\nk",\r\n');
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '=HYPERLINK("http://evil.example")'])(
    'keeps %j from being a formula',
    (text) => {
      expect(guarded(text)).toBe(`'${text}`);
    },
  );

  it('leaves other texts and plain phone numbers as they are', () => {
    for (const text of ['Ada', "'=1", ' =1', '1+1', 'a@b.example', '']) expect(guarded(text)).toBe(text);
    expect(guardedPhone('+33123456789')).toBe('+33123456789');
    expect(guardedPhone('0123')).toBe('0123');
    for (const phone of ['+33 1', '+1+1', '=1', '-1', '+']) expect(guardedPhone(phone)).toBe(`'${phone}`);
  });
});
