import { announce } from './announcements.js';
import { listen } from './listen.js';

export interface Notice {
  id: number;
  kind: 'done' | 'failed' | 'approval';
  text: string;
  undo?: () => void | Promise<void>;
  approvalId?: string;
}

let notices: readonly Notice[] = [];
let lastId = 0;
const changes = listen();

const publish = (next: readonly Notice[]): void => {
  notices = next;
  changes.tell();
};

export const shownNotices = (): readonly Notice[] => notices;

export const onNotices = changes.add;

/** Shows a notice, and has it read out; at most three at a time. */
export function notify(notice: Omit<Notice, 'id'>): void {
  announce(notice.text);
  publish([...notices.slice(-2), { ...notice, id: ++lastId }]);
}

export function dismiss(id: number): void {
  publish(notices.filter((one) => one.id !== id));
}
