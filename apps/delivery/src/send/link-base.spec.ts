import { describe, expect, it } from '@jest/globals';
import { linkBase } from './link-base.js';

describe('linkBase', () => {
  const pending = { hostname: 'old.shop.example', status: 'PENDING' };
  const verified = { hostname: 'links.shop.example', status: 'VERIFIED' };

  it.each([
    ['https://m.example.com', [], 'https://m.example.com'],
    ['https://m.example.com', [pending], 'https://m.example.com'],
    ['https://m.example.com', [pending, verified], 'https://links.shop.example'],
    ['http://localhost:3000', [verified], 'http://links.shop.example'],
  ])('of %s with %j', (publicUrl, webDomains, expected) => {
    expect(linkBase(publicUrl, webDomains)).toBe(expected);
  });
});
