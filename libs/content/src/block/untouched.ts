/** The first paragraph of a new mail, which its author replaces, in each language of the dashboard. */
export const untouchedBodies: readonly string[] = [
  'Write your message here.',
  'Schreiben Sie hier Ihre Nachricht.',
  'Rédigez votre message ici.',
];

/** The subjects that the dashboard gives to a new campaign and to a new mail of a workflow, in each of its languages. */
export const untouchedSubjects: readonly string[] = [
  'New campaign',
  'Neue Kampagne',
  'Nouvelle campagne',
  'A new mail',
  'Eine neue E-Mail',
  'Un nouvel e-mail',
];
