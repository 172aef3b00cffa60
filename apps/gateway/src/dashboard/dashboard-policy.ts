/**
 * What pages of the dashboard may do: load and run this server's own files, show images that a mail names, and speak to this
 * server alone. Scripts may only come from values that the policy `tidings` makes (Trusted Types).
 */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' https: data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types tidings ProseMirrorClipboard',
].join('; ');

const permissionsPolicy = [
  'clipboard-write=(self)',
  'publickey-credentials-get=(self)',
  'publickey-credentials-create=(self)',
  ...['camera', 'microphone', 'geolocation', 'payment', 'usb', 'display-capture', 'clipboard-read'].map(
    (feature) => `${feature}=()`,
  ),
].join(', ');

export const dashboardHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': contentPolicy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'permissions-policy': permissionsPolicy,
  'cache-control': 'no-cache',
};

export const assetHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
  vary: 'accept-encoding',
};
