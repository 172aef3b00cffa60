import { describe, expect, it } from '@jest/globals';
import { mailboxProvider } from './mailbox-provider.js';

describe('largeReceiverOf', () => {
  it.each([
    ['gmail.com', 'gmail'],
    ['GoogleMail.com', 'gmail'],
    ['hotmail.fr', 'microsoft'],
    ['outlook.com', 'microsoft'],
    ['yahoo.co.uk', 'yahoo'],
    ['web.de', 'gmx'],
    ['example.com', 'other'],
    ['yahoo', 'other'],
    ['gmail.com.example.org', 'other'],
    ['', 'other'],
  ])('%s is received by %s', (domain, receiver) => expect(mailboxProvider(domain)).toBe(receiver));
});
