import type { Role } from '../../data/session.js';
import { fieldText } from '../../messages/en/fields.js';
import { newCampaignText } from '../../messages/en/new-campaign.js';
import { segmentText } from '../../messages/en/segments.js';
import { snippetText } from '../../messages/en/snippets.js';
import { subscriberText } from '../../messages/en/subscribers.js';
import { tagText } from '../../messages/en/tags.js';
import { tokenText } from '../../messages/en/tokens.js';
import { senderText } from '../../messages/en/senders.js';
import { workflowText } from '../../messages/en/workflows.js';
import { addressOf } from '../../parts/screen-link.js';
import type { ScreenTarget } from '../../parts/screen-link.js';
import type { ScreenName } from '../../parts/screen-paths.js';

/** What the first button of a page does, which `c` presses too. */
export interface PageAction {
  screen: ScreenName;
  text: string;
  /** The lowest role that sees the button. */
  role: Role;
}

/** The pages whose first button makes something, by the text of that button. */
export const pageActions = (): PageAction[] => [
  { screen: 'campaigns', text: newCampaignText('button'), role: 'editor' },
  { screen: 'subscribers', text: subscriberText('add'), role: 'editor' },
  { screen: 'workflows', text: workflowText('new'), role: 'editor' },
  { screen: 'segments', text: segmentText('new'), role: 'editor' },
  { screen: 'tags', text: tagText('new'), role: 'editor' },
  { screen: 'fields', text: fieldText('new'), role: 'editor' },
  { screen: 'snippets', text: snippetText('new'), role: 'editor' },
  { screen: 'senders', text: senderText('add'), role: 'editor' },
  { screen: 'tokens', text: tokenText('new'), role: 'viewer' },
];

/** Milliseconds within which a page has come; a user who went on meanwhile gets nothing. */
const arrivalMs = 5_000;

const firstButton = (): HTMLElement | null => document.querySelector<HTMLElement>('main [data-compose]');

/** Presses the first button of a page once the page is there; to be called before going there. */
export function pressFirstButton(target: ScreenTarget): void {
  const address = addressOf(target);
  // The address changes first: until the page has come, the button of the page before is still there.
  const before = location.pathname === address ? null : firstButton();
  const lastAt = Date.now() + arrivalMs;
  const look = () => {
    const isThere = location.pathname === address && document.querySelector('dialog[open]') === null;
    const button = isThere ? firstButton() : null;
    if (button && button !== before) button.click();
    else if (Date.now() < lastAt) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
