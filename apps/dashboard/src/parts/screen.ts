import type { ComponentType } from 'react';
import type { Role } from '../data/session.js';
import type { ScreenName } from './screen-paths.js';

export interface Screen {
  name: ScreenName;
  /** Loads the page; each page is a chunk of its own. */
  load: () => Promise<ComponentType>;
  /** The lowest role that may open it; default: viewer. */
  role?: Role;
}

const order: readonly Role[] = ['viewer', 'editor', 'approver', 'admin', 'owner'];

export const isAtLeast = (role: Role, lowest: Role): boolean => order.indexOf(role) >= order.indexOf(lowest);
