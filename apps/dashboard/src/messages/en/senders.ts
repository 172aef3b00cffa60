import { defineTexts } from '../text.js';

export const senderText = defineTexts('senders', {
  title: 'Senders',
  lead: 'The addresses that mail comes from. New campaigns take the default.',
  add: 'New sender',
  'add.title': 'New sender',
  'add.button': 'Create sender',
  displayName: 'Name',
  localPart: 'Before the @',
  domain: 'Domain',
  replyTo: 'Replies go to',
  replyToHint: 'Empty: to the sender itself.',
  isDefault: 'default',
  makeDefault: 'Make default',
  madeDefault: '{email} is the default now.',
  replies: 'Replies to {email}',
  removeButton: 'Delete sender',
  removed: '{email} is deleted.',
  actions: 'Actions for {email}',
});
