import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import type { AnyRoute } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { currentSession, setOrganization } from '../data/session.js';
import { askedOrganization } from '../installation/asked-organization.js';
import { lastOrganization } from './last-organization.js';

/** Pages for people without a session. */
export const signedOutRoutes = (root: AnyRoute) => [
  createRoute({
    getParentRoute: () => root,
    path: '/sign-in',
    component: lazyRouteComponent(() => import('../account/sign-in.page.js'), 'SignInPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/setup',
    component: lazyRouteComponent(() => import('../account/setup.page.js'), 'SetupPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/invitation',
    component: lazyRouteComponent(() => import('../account/invitation.page.js'), 'InvitationPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/forgot',
    component: lazyRouteComponent(() => import('../account/forgot.page.js'), 'ForgotPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/signed-in',
    component: lazyRouteComponent(() => import('../account/signed-in.page.js'), 'SignedInPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/reset',
    component: lazyRouteComponent(() => import('../account/reset.page.js'), 'ResetPage'),
  }),
];

type Guard = (context: { location: { href: string } }) => void;

/** Pages of the user's own account, whatever the organization. */
export function accountRoutes(root: AnyRoute, requireSession: Guard) {
  const frame = createRoute({
    getParentRoute: () => root,
    id: 'account',
    beforeLoad: requireSession,
    component: lazyRouteComponent(() => import('./account-frame.js'), 'AccountFrame'),
  });
  return [
    frame.addChildren([
      createRoute({
        getParentRoute: () => frame,
        path: '/account/profile',
        component: lazyRouteComponent(() => import('../account/profile.page.js'), 'ProfilePage'),
      }),
      createRoute({
        getParentRoute: () => frame,
        path: '/account/security',
        component: lazyRouteComponent(() => import('../account/security.page.js'), 'SecurityPage'),
      }),
      createRoute({
        getParentRoute: () => frame,
        path: '/account/sessions',
        component: lazyRouteComponent(() => import('../account/sessions.page.js'), 'SessionsPage'),
      }),
    ]),
  ];
}

/** Operators' pages. Their calls are made as the admin of an organization, which the address may name. */
export function installationRoutes(root: AnyRoute, requireSession: Guard) {
  const frame = createRoute({
    getParentRoute: () => root,
    id: 'installation',
    beforeLoad: (context) => {
      requireSession(context);
      const { organizations } = currentSession()!;
      const { organization: named } = context.search as { organization?: number };
      setOrganization(askedOrganization(organizations, named, lastOrganization(organizations)));
    },
    component: lazyRouteComponent(() => import('./installation-frame.js'), 'InstallationFrame'),
  });
  const page = (path: string, load: () => Promise<ComponentType>) =>
    createRoute({
      getParentRoute: () => frame,
      path: `/installation${path}`,
      component: lazyRouteComponent(async () => ({ default: await load() })),
    });
  return [
    frame.addChildren([
      page('', async () => (await import('../installation/overview.page.js')).OverviewPage),
      page('/dead-letters', async () => (await import('../installation/dead-letters.page.js')).DeadLettersPage),
      page('/organizations', async () => (await import('../installation/organizations.page.js')).OrganizationsPage),
    ]),
  ];
}
