const keyOf = (organization: number): string => `tidings.checklist.${organization}`;

/** Whether the user dismissed the checklist of an organization in this browser. */
export const isChecklistHidden = (organization: number): boolean =>
  localStorage.getItem(keyOf(organization)) === 'hidden';

export const hideChecklist = (organization: number): void => localStorage.setItem(keyOf(organization), 'hidden');

export const showChecklist = (organization: number): void => localStorage.removeItem(keyOf(organization));
