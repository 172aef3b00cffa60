/** @jest-environment jsdom */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
} from '@tanstack/react-router';
import { cleanup, render, screen } from '@testing-library/react';
import { noteSession, setOrganization } from '../data/session.js';
import type { Role } from '../data/session.js';
import { ScreenLink } from './screen-link.js';

function Links() {
  return (
    <>
      <ScreenLink screen="home">{'Home'}</ScreenLink>
      <ScreenLink screen="tags" className="min-w-0 hover:underline">
        {'Tags'}
      </ScreenLink>
      <ScreenLink screen="audit" className="min-w-0 hover:underline">
        {'Audit'}
      </ScreenLink>
      <ScreenLink screen="workflow" params={{ workflowId: 'wfl_1' }} className="underline">
        {'Workflow'}
      </ScreenLink>
    </>
  );
}

const open = async (role: Role) => {
  const organization = { id: 'org_1', number: 1, name: 'Garden', role };
  noteSession({ organizations: [organization] } as unknown as Parameters<typeof noteSession>[0]);
  setOrganization(1);
  const root = createRootRoute({ component: Outlet });
  const parent = createRoute({ getParentRoute: () => root, path: '$organization', component: Links });
  const child = (path: string, lowest: Role) =>
    createRoute({ getParentRoute: () => parent, path, staticData: { role: lowest } });
  const routeTree = root.addChildren([
    parent.addChildren([child('/', 'viewer'), child('/tags', 'viewer'), child('/settings/audit', 'admin')]),
  ]);
  const router = createRouter({ routeTree, history: createMemoryHistory({ initialEntries: ['/1'] }) });
  render(<RouterProvider router={router as never} />);
  await screen.findByText('Tags');
};
const links = () => screen.queryAllByRole('link').map(({ textContent }) => textContent);

describe('ScreenLink', () => {
  beforeEach(() => {
    window.scrollTo = () => undefined;
  });
  afterEach(() => {
    cleanup();
    noteSession(null);
  });

  it('leads to registered screens that the role may open', async () => {
    await open('admin');
    expect(links()).toEqual(['Home', 'Tags', 'Audit']);
  });

  it('is plain text without the look of a link elsewhere', async () => {
    await open('viewer');
    expect(links()).toEqual(['Home', 'Tags']);
    expect(screen.getByText('Audit').className).toBe('min-w-0');
    expect(screen.getByText('Workflow').tagName).toBe('SPAN');
  });
});
