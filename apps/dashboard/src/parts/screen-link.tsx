import { Link, useNavigate, useRouter } from '@tanstack/react-router';
import type { ComponentPropsWithoutRef } from 'react';
import { currentOrganization } from '../data/session.js';
import type { Role } from '../data/session.js';
import { mayAct } from './own-role.js';
import { screenAddress, screenPaths } from './screen-paths.js';
import type { ScreenName, ScreenParams } from './screen-paths.js';

/** Where a link leads: a screen by name, the records in its address, its search part. */
export type ScreenTarget = {
  [N in ScreenName]: {
    screen: N;
    search?: Record<string, unknown>;
  } & (keyof ScreenParams<N> extends never ? { params?: undefined } : { params: ScreenParams<N> });
}[ScreenName];

/** The address of a screen in the organization of the page, without its search part. */
export const addressOf = ({ screen, params }: ScreenTarget): string =>
  screenAddress(currentOrganization() ?? 0, screen, params);

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The lowest role that may open the screen. */
    role?: Role;
  }
}

interface RegisteredRoute {
  options: { staticData?: { role?: Role } };
}

/** Whether a screen is registered and the user's role may open it. */
export function useCanOpen(): (screen: ScreenName) => boolean {
  const routes = useRouter().routesByPath as Record<string, RegisteredRoute | undefined>;
  return (screen) => {
    const path = screenPaths[screen];
    const route = routes[`/$organization${path}`] ?? (path === '/' ? routes['/$organization'] : undefined);
    return route !== undefined && mayAct(route.options.staticData?.role ?? 'viewer');
  };
}

/** What only a link looks like. */
const linkLook = /underline|hover:|text-accent/;

/** A link to a screen of this organization; plain text where the user cannot open the screen. */
export function ScreenLink({
  screen,
  params,
  search,
  ...rest
}: ScreenTarget & Omit<ComponentPropsWithoutRef<'a'>, 'href'>) {
  const canOpen = useCanOpen();
  if (!canOpen(screen)) {
    const plain = rest.className?.split(' ').filter((name) => !linkLook.test(name));
    return <span className={plain?.join(' ')}>{rest.children}</span>;
  }
  return <Link {...rest} to={addressOf({ screen, params } as ScreenTarget)} search={search ?? {}} preload="intent" />;
}

/** Goes to a screen of this organization. */
export function useGo(): (target: ScreenTarget & { replace?: boolean }) => void {
  const navigate = useNavigate();
  return ({ replace = false, search = {}, ...target }) =>
    void navigate({ to: addressOf(target as ScreenTarget), search: search, replace });
}
