import { canonicalName, isVariable, splitText } from './variable.js';

export interface VariableGuide {
  name: string;
  group: 'built-in' | 'organization';
  description: string;
  example: string;
}

const guide = (group: VariableGuide['group'], rows: Record<string, [description: string, example: string]>) =>
  Object.entries(rows).map(([name, [description, example]]): VariableGuide => ({ name, group, description, example }));

export const variableGuides: readonly VariableGuide[] = [
  ...guide('built-in', {
    email: ['The address the message goes to.', 'Sent to {{email}}.'],
    name: ['The full name of the subscriber; may be empty.', "Dear {{name | 'reader'}},"],
    firstName: [
      'The first word of the name, unless a custom field firstName says otherwise; may be empty.',
      "Hi {{firstName | 'there'}},",
    ],
    phone: ['The phone number of the subscriber; may be empty.', "Is {{phone | 'your number'}} still right?"],
    unsubscribeUrl: [
      'The link that unsubscribes. Every campaign needs it as the href of a link.',
      '[Unsubscribe]({{unsubscribeUrl}})',
    ],
    preferencesUrl: ['The page where the subscriber changes what they get.', '[Preferences]({{preferencesUrl}})'],
    onlineUrl: ['The message as a web page.', '[View online]({{onlineUrl}})'],
    currentYear: ['The year of the day of sending, in the organization’s time zone.', '© {{currentYear}}'],
  }),
  ...guide('organization', {
    'org-name': ['The name of the organization.', 'Yours, {{org-name}}'],
    'org-address': ['The postal address of the organization; empty until it is set.', '{{org-name}}, {{org-address}}'],
  }),
];

/**
 * How text names a custom field; null when its name is none that the renderer could find: with braces, `|` or quotes, or
 * read as a snippet or a tag link (`snippet:x`, `addTag:x`).
 */
export const variableSyntax = (name: string): string | null => {
  const canonical = canonicalName(name);
  if (canonical === null) return null;
  const syntax = `{{${canonical}}}`;
  return splitText(syntax).every(isVariable) ? syntax : null;
};
