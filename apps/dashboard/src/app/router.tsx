import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import type { RouteComponent } from '@tanstack/react-router';
import { useLayoutEffect, useState } from 'react';
import { currentMembership, currentSession, setOrganization } from '../data/session.js';
import type { Role } from '../data/session.js';
import { isAtLeast } from '../parts/screen.js';
import type { Screen } from '../parts/screen.js';
import { screenPaths } from '../parts/screen-paths.js';
import { accountRoutes, installationRoutes, signedOutRoutes } from './outside.routes.js';
import { lastOrganization, noteOrganization } from './last-organization.js';
import { screens } from './screens.js';
import { Shell } from './shell.js';
import { FailedScreen, NoOrganization, NoSuchPage, NotFound, NotMember, RoleTooLow } from './shell-states.js';

const rootRoute = createRootRoute({ component: Outlet, notFoundComponent: NoSuchPage, errorComponent: FailedScreen });

/** Where a page goes that needs a session: the sign-in, which leads back. */
const requireSession = ({ location }: { location: { href: string } }): void => {
  if (!currentSession()) throw redirect({ to: '/sign-in', search: { next: location.href } });
};

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: (context) => {
    requireSession(context);
    const number = lastOrganization(currentSession()!.organizations);
    if (number !== null) throw redirect({ to: `/${number}`, replace: true });
  },
  component: NoOrganization,
});

const organizationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '$organization',
  beforeLoad: requireSession,
  notFoundComponent: NotFound,
  component: function Organization() {
    const { organization } = organizationRoute.useParams();
    return <OrganizationFrame key={organization} named={organization} />;
  },
});

/**
 * Makes the organization of the address that of all calls, from the moment this page is shown: links are also loaded ahead,
 * and the page before calls its own organization until it has left.
 */
function OrganizationFrame({ named }: { named: string }) {
  const [isChosen, setChosen] = useState(false);
  useLayoutEffect(() => {
    const number = Number(named);
    setOrganization(number);
    if (currentMembership()) noteOrganization(number);
    setChosen(true);
  }, [named]);
  if (!/^\d+$/.test(named)) return <NoSuchPage />;
  if (!isChosen) return null;
  return currentMembership() ? <Shell /> : <NotMember number={named} />;
}

function screenRoute({ name, load, role = 'viewer' }: Screen) {
  const Page = lazyRouteComponent(async () => ({ default: await load() }));
  return createRoute({
    getParentRoute: () => organizationRoute,
    path: screenPaths[name],
    staticData: { role },
    component: guarded(Page, role),
  });
}

/** A page that only a role may open; a direct address says which. */
function guarded(Page: RouteComponent, role: Role): RouteComponent {
  const Guarded = () => {
    const own = currentMembership();
    return own && isAtLeast(own.role, role) ? <Page /> : <RoleTooLow role={role} />;
  };
  // The router loads what a link points to before it is followed.
  return Object.assign(Guarded, { preload: Page.preload }) as RouteComponent;
}

const routeTree = rootRoute.addChildren([
  homeRoute,
  ...signedOutRoutes(rootRoute),
  ...accountRoutes(rootRoute, requireSession),
  ...installationRoutes(rootRoute, requireSession),
  organizationRoute.addChildren(screens.map(screenRoute)),
]);

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  defaultNotFoundComponent: NoSuchPage,
  defaultErrorComponent: FailedScreen,
  scrollRestoration: true,
});
