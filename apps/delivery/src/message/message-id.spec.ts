import { describe, expect, it } from '@jest/globals';
import { messageIdFor, messageRowIdFrom } from './message-id.js';

const id = '0191f3a0-1234-7abc-8def-0123456789ac';

describe('messageIdFor', () => {
  it('is made of the row and the domain, the same each time', () => {
    expect(messageIdFor(id, 'shop.org')).toBe(`<${id}@shop.org>`);
  });
});

describe('messageRowIdFrom', () => {
  it.each([`<${id}@shop.org>`, `${id}@shop.org`, ` <${id.toUpperCase()}@SHOP.org>\r\n`])('reads %j', (text) => {
    expect(messageRowIdFrom(text)).toBe(id);
  });

  it.each(['', '<abc@shop.org>', `<${id}>`, `<x${id}@shop.org>`, `<${id}@a> <${id}@b>`])('finds none in %j', (text) => {
    expect(messageRowIdFrom(text)).toBeNull();
  });
});
