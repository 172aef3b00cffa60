import { nameKey } from '../text/text.js';

/** A custom field's definition; values stand with each subscriber. */
export interface Field {
  id: string;
  /** As it is stored: a uuid; the key of the values. */
  key: string;
  name: string;
}

/** Names that mean something else in tools, templates and links (compared without case). */
const reserved = new Set(
  [
    ...['id', 'email', 'name', 'firstName', 'lastName', 'phone', 'status', 'tags', 'fields', 'customFields', 'country'],
    ...['ipAddress', 'createdAt', 'updatedAt', 'revenue', 'emailCount', 'openCount', 'clickCount', 'unsubscribeUrl'],
    ...['preferencesUrl', 'onlineUrl', 'confirmUrl', 'currentYear'],
  ].map(nameKey),
);

/** Whether a name cannot be a custom field's. */
export const isReservedName = (name: string): boolean => {
  const key = nameKey(name);
  return reserved.has(key) || key.startsWith('org-') || key.startsWith('snp_');
};
