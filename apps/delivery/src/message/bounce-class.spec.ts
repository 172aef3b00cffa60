import { describe, expect, it } from '@jest/globals';
import { classifyRefusal } from './bounce-class.js';
import { enhancedCodeOf } from './attempt-report.js';

describe('classifyRefusal', () => {
  it.each([
    ['550 5.1.1 The email account that you tried to reach does not exist', 'HARD NO_SUCH_USER'],
    ['550 5.1.1 <a@b.c>: Recipient address rejected: User unknown', 'HARD NO_SUCH_USER'],
    ['550 No such user here', 'HARD NO_SUCH_USER'],
    ['550 Requested action not taken: mailbox unavailable', 'HARD NO_SUCH_USER'],
    ['550', 'HARD NO_SUCH_USER'],
    ['553 mailbox name not allowed', 'HARD NO_SUCH_USER'],
    ['550 Requested action not taken', 'HARD NO_SUCH_USER'],
    ['550 Access denied - Invalid HELO name (See RFC2821 4.1.1.1)', 'SOFT POLICY'],
    ['550 Administrative prohibition', 'SOFT POLICY'],
    ['550 Previous (cached) callout verification failure', 'SOFT POLICY'],
    ['550 SMTP AUTH is required', 'SOFT POLICY'],
    ['550 You are not authorized to use this server', 'SOFT POLICY'],
    ['550 Your message was rejected', 'SOFT POLICY'],
    ['550 Messages from [192.0.2.1] were not sent', 'SOFT POLICY'],
    ['550 daily limit exceeded', 'SOFT POLICY'],
    ['550 Cannot accept mail from this host', 'SOFT POLICY'],
    ['550 192.0.2.1 is not in an authorized list', 'SOFT POLICY'],
    ['556 5.1.10 Domain does not take mail', 'HARD INTERNAL'],
    ['550 5.1.2 Host unknown', 'HARD INTERNAL'],
    ['550 5.2.1 The account is disabled', 'SOFT TRANSIENT'],
    ['550 5.7.13 User account disabled', 'SOFT TRANSIENT'],
    ['554 Account has been suspended', 'SOFT TRANSIENT'],
    ['550 5.2.1 The user you are trying to contact is receiving mail at a rate that', 'SOFT TRANSIENT'],
    ['550 5.4.4 Host or domain name not found. Name service error for name=b.example', 'HARD INTERNAL'],
    ['550 5.4.310 DNS domain b.example does not exist', 'HARD INTERNAL'],
    ['552 5.2.2 Over quota', 'SOFT MAILBOX_FULL'],
    ['552 too much', 'SOFT MAILBOX_FULL'],
    ['552 5.3.4 Message too big', 'SOFT CONTENT'],
    ['554 5.7.1 Blocked by Spamhaus', 'SOFT BLOCKED'],
    ['550 5.7.1 Our system has detected that this message is likely unsolicited mail', 'SOFT CONTENT'],
    ['550 5.7.1 Unauthenticated email is not accepted due to DMARC policy', 'SOFT POLICY'],
    ['550 5.7.1 Relaying denied', 'SOFT POLICY'],
    ['550 5.7.26 This mail has been blocked because the sender is unauthenticated', 'SOFT POLICY'],
    ['550 5.7.1 <a@b.c>: Recipient address rejected: user unknown', 'HARD NO_SUCH_USER'],
    ['554 5.6.0 Bad content', 'SOFT CONTENT'],
    ['550 5.4.4 Host not reachable', 'SOFT TRANSIENT'],
    ['554 Transaction failed', 'SOFT OTHER'],
    ['571 whatever', 'SOFT OTHER'],
    ['451 4.7.1 Greylisted', 'SOFT TRANSIENT'],
    ['452 4.2.2 Mailbox full', 'SOFT MAILBOX_FULL'],
  ])('%s', (response, expected) => {
    const { bounceType, bounceCategory } = classifyRefusal(
      Number(response.slice(0, 3)),
      enhancedCodeOf(response),
      response,
    );
    expect(`${bounceType} ${bounceCategory}`).toBe(expected);
  });

  it.each([
    'Helo command rejected: Host not found',
    'Bad HELO - host not found',
    'Your domain does not exist',
    'MX record of your domain could not be found',
    'Cannot resolve your domain',
    'We do not accept mail from unknown hosts',
    'Too many unknown users from your host',
    'You have sent to too many invalid addresses',
    'Maximum number of invalid recipients exceeded',
    'Your account does not exist in our list of senders',
    'Your email address does not exist',
    'Verification of the sender address failed: user unknown',
    'Sender callout: user unknown',
    'The From address is invalid',
    'Address in the From header not found',
    'Message contains invalid recipients in its header',
    'Return-Path host not found',
    'Domain not found in DNS for envelope from',
    'Mail server not found in whitelist',
    'Your IP does not exist in our records',
    'Mail rejected: no such domain in URL',
    'Invalid domain in Message-ID',
    'This mailbox does not accept messages from outside',
    'This domain does not accept mail without TLS',
    'You are not subscribed: address not found',
    'Message quarantined, recipient not known',
    'Mailbox unavailable due to maintenance',
    'LDAP lookup failed: user not found',
    'Recipient verify failed: could not connect',
    'User not found, try later',
  ])('holds what it says of the sender, the message or the server against no recipient: %s', (words) => {
    for (const enhancedCode of [null, '5.0.0', '5.7.1'])
      expect(classifyRefusal(550, enhancedCode, `550 ${words}`).bounceType).toBe('SOFT');
  });

  it.each([
    'address not present in directory',
    'destination addresses were unknown',
    'sorry, badrcptto',
    'sorry, your envelope recipient has been denied (#5.7.1)',
    'your envelope recipient is in my badrcptto list',
    'Could not find recipient',
    'Recipient could not be resolved',
    'mailbox name not allowed',
    'ada is not in our directory',
    'No existe ese usuario',
    'Nessun utente con questo nome',
    'Nutzer unbekannt',
    'Okänd mottagare',
    'Vastaanottajaa ei löydy',
    'A felhasználó nem létezik',
    'Utilizator inexistent',
    'Ο χρήστης δεν υπάρχει',
    'Người dùng không tồn tại',
    'Nie ma takiego użytkownika',
  ])('recognizes the words for an address that does not exist: %s', (words) => {
    expect(classifyRefusal(550, '5.0.0', `550 ${words}`)).toEqual({
      bounceType: 'HARD',
      bounceCategory: 'NO_SUCH_USER',
    });
  });

  it.each([
    'all host address lookups failed permanently',
    'No mail exchanger for b.example',
    'No MX or A records for b.example',
    'nonexistent host or domain',
    'unresolvable domain',
    'Unable to route: no mail hosts for domain',
    'The mail server for domain could not be located',
    'The destination server for this recipient could not be found in Domain Name Service (DNS)',
    'The destination system of the message does not exist',
    'mx.b.example: No address associated with hostname',
    'getaddrinfo: nodename nor servname provided, or not known',
    'Could not find a valid MX or A record for domain b.example',
  ])('knows the words for a domain that does not exist: %s', (words) => {
    expect(classifyRefusal(550, '5.0.0', words)).toEqual({ bounceType: 'HARD', bounceCategory: 'INTERNAL' });
  });

  it('holds nothing against an address that never got a reply', () => {
    expect(classifyRefusal(null, null, 'Connection closed')).toEqual({
      bounceType: 'SOFT',
      bounceCategory: 'TRANSIENT',
    });
  });
});
