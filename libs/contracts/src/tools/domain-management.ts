import { z } from 'zod';
import { emailText, idText, oneAddress } from '../common.js';
import { defineTools } from '../define.js';
import { sender, senderName, webDomain } from './domain.js';

const replyTo = z.union([emailText, z.array(emailText).length(1)], { error: oneAddress }).nullish();

/** Tools that remove domains and senders, and change them after their creation. */
export const domainManagementTools = defineTools('domain', {
  create_web_domain: {
    summary: 'Adds a web domain (host name for pages and tracked links) and returns the CNAME record to add.',
    category: 'domains',
    scope: 'write',
    rules: ['Call verify_web_domain once the record is in DNS. A host name belongs to one organization.'],
    input: z.strictObject({
      hostname: z.string().trim().min(1).max(255).describe('A host name such as links.example.org'),
    }),
    output: z.object({ webDomain }),
    errors: ['DOMAIN_INVALID', 'WEB_DOMAIN_EXISTS'],
    transaction: 'write',
    keywords: 'own link domain, branded links, tracking host, CNAME',
    example: { hostname: 'pages.example.org' },
  },
  delete_web_domain: {
    summary: 'Deletes a web domain. New mail then carries the host name of the installation.',
    category: 'domains',
    scope: 'write',
    confirm: true,
    destructive: true,
    rules: ['Links in sent mail keep the host name; they work as long as its CNAME record exists.'],
    input: z.strictObject({ domainId: idText.describe('A wdom_ id or a host name') }),
    output: z.object({ deleted: z.literal(true), webDomain: webDomain.pick({ id: true, hostname: true }) }),
    errors: ['WEB_DOMAIN_NOT_FOUND'],
    transaction: 'write',
    keywords: 'remove a link domain, branded links off, tracking host',
    example: { domainId: '{spareWebDomainId}' },
  },
  delete_domain: {
    summary: 'Deletes a sending domain with its senders and DKIM keys.',
    category: 'domains',
    scope: 'write',
    confirm: true,
    destructive: true,
    rules: [
      'A domain whose senders are used by a SCHEDULED or SENDING campaign or an ACTIVE workflow is refused; the refusal names its users.',
      'The sandbox domain cannot be deleted.',
    ],
    input: z.strictObject({ domainId: idText }),
    output: z.object({ deleted: z.literal(true), senders: z.int().describe('Number of deleted senders') }),
    errors: ['DOMAIN_NOT_FOUND', 'DOMAIN_SANDBOX', 'DOMAIN_IN_USE'],
    transaction: 'own',
    keywords: 'remove a sending domain, get rid of a host name, mail domain',
    example: { domainId: '{spareDomainId}' },
  },
  update_email_sender: {
    summary: 'Updates the display name or the reply-to address of a sender.',
    category: 'domains',
    scope: 'write',
    idempotent: true,
    rules: ['Omitted fields keep their values; replyTo null clears. Published workflow versions keep the former name.'],
    input: z.strictObject({ senderId: idText, displayName: senderName.optional(), replyTo }),
    output: z.object({ sender }),
    errors: ['SENDER_NOT_FOUND', 'SENDER_REPLY_TO_INVALID', 'NOTHING_TO_CHANGE'],
    transaction: 'write',
    keywords: 'rename a from address, reply address, change from name',
    example: { senderId: '{senderId}', displayName: 'Ada Lovelace' },
  },
  delete_email_sender: {
    summary: 'Deletes a sender.',
    category: 'domains',
    scope: 'write',
    confirm: true,
    destructive: true,
    rules: [
      'A sender used by a SCHEDULED or SENDING campaign or an ACTIVE workflow is refused; the refusal names its users.',
      'If it was the default, the sender used last becomes the default.',
    ],
    input: z.strictObject({ senderId: idText }),
    output: z.object({ deleted: z.literal(true), sender }),
    errors: ['SENDER_NOT_FOUND', 'SENDER_IN_USE'],
    transaction: 'own',
    keywords: 'remove a from address, retire a sender name, delete an address we send from',
    example: { senderId: '{spareSenderId}' },
  },
  set_default_sender: {
    summary: 'Sets the default sender of the organization.',
    category: 'domains',
    scope: 'write',
    idempotent: true,
    rules: ['New campaigns and workflow emails without a sender use the default.'],
    input: z.strictObject({ senderId: idText }),
    output: z.object({ sender }),
    errors: ['SENDER_NOT_FOUND'],
    transaction: 'write',
    keywords: 'choose the usual from address, standard sender, preferred address',
    example: { senderId: '{senderId}' },
  },
});
