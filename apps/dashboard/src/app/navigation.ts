import type { IconName } from '../ui/icon.js';
import type { ScreenName } from '../parts/screen-paths.js';

export interface NavigationItem {
  screen: ScreenName;
  icon: IconName;
  /** The letter that follows `g`. */
  key?: string;
}

/** The navigation in its groups; a screen that no noun registers yet, or that the role may not open, is left out. */
export const navigation: readonly { title?: 'audience' | 'content' | 'delivery'; items: readonly NavigationItem[] }[] =
  [
    {
      items: [
        { screen: 'home', icon: 'home', key: 'h' },
        { screen: 'approvals', icon: 'approval', key: 'a' },
        { screen: 'campaigns', icon: 'mail', key: 'c' },
        { screen: 'workflows', icon: 'workflow', key: 'w' },
      ],
    },
    {
      title: 'audience',
      items: [
        { screen: 'subscribers', icon: 'people', key: 'u' },
        { screen: 'segments', icon: 'segment', key: 's' },
        { screen: 'tags', icon: 'tag', key: 't' },
        { screen: 'fields', icon: 'field', key: 'f' },
      ],
    },
    {
      title: 'content',
      items: [
        { screen: 'snippets', icon: 'snippet' },
        { screen: 'images', icon: 'image', key: 'i' },
      ],
    },
    {
      title: 'delivery',
      items: [
        { screen: 'messages', icon: 'message', key: 'm' },
        { screen: 'deliverability', icon: 'pulse', key: 'd' },
      ],
    },
  ];

export const settingsScreens: readonly ScreenName[] = [
  'organization',
  'members',
  'tokens',
  'domains',
  'senders',
  'webDomains',
  'webhooks',
  'relays',
  'topics',
  'forms',
  'events',
  'writingStyle',
  'audit',
];
