import { describe, expect, it } from '@jest/globals';
import { linkBase } from './link-base.js';

describe('linkBase', () => {
  it.each([
    ['https://m.example.com', null, 'https://m.example.com'],
    ['https://m.example.com', 'links.shop.example', 'https://links.shop.example'],
    ['http://localhost:3000', 'links.shop.example', 'http://links.shop.example'],
  ])('of %s with %j', (publicUrl, hostname, expected) => {
    expect(linkBase(publicUrl, hostname)).toBe(expected);
  });
});
