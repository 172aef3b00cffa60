const addresses = [
  /^\/\d{1,10}(?:\/|$)/,
  /^\/(?:sign-in|signed-in|setup|invitation|forgot|reset|address)\/?$/,
  /^\/account\/(?:profile|security|sessions)\/?$/,
  /^\/installation(?:\/|$)/,
  /^\/$/,
];

/** Whether a path is a page of the dashboard; all other unknown paths stay unknown. */
export const isDashboardAddress = (path: string): boolean => addresses.some((one) => one.test(path));
