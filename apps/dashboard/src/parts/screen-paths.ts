/**
 * Every screen of an organization by its name, with its address below `/<organization number>`. Links go by these names,
 * so that no noun imports another.
 */
export const screenPaths = {
  home: '/',
  subscribers: '/subscribers',
  subscriber: '/subscribers/$subscriberId',
  subscriberImports: '/subscribers/import',
  subscriberImport: '/subscribers/import/$importId',
  subscriberExports: '/subscribers/exports',
  segments: '/segments',
  segment: '/segments/$segmentId',
  tags: '/tags',
  fields: '/fields',
  campaigns: '/campaigns',
  campaign: '/campaigns/$campaignId',
  campaignWrite: '/campaigns/$campaignId/write',
  campaignAudience: '/campaigns/$campaignId/audience',
  campaignReview: '/campaigns/$campaignId/review',
  campaignReport: '/campaigns/$campaignId/report',
  campaignHistory: '/campaigns/$campaignId/history',
  snippets: '/snippets',
  snippet: '/snippets/$snippetId',
  images: '/images',
  workflows: '/workflows',
  workflow: '/workflows/$workflowId',
  workflowBuild: '/workflows/$workflowId/build',
  workflowRuns: '/workflows/$workflowId/runs',
  workflowSimulation: '/workflows/$workflowId/simulation',
  workflowSettings: '/workflows/$workflowId/settings',
  workflowGroups: '/workflow-groups',
  approvals: '/approvals',
  approval: '/approvals/$approvalId',
  messages: '/messages',
  message: '/messages/$messageId',
  deliverability: '/deliverability',
  suppressed: '/deliverability/suppressed',
  organization: '/settings/organization',
  members: '/settings/members',
  tokens: '/settings/tokens',
  domains: '/settings/domains',
  senders: '/settings/senders',
  webDomains: '/settings/web-domains',
  webhooks: '/settings/webhooks',
  relays: '/settings/relays',
  topics: '/settings/topics',
  forms: '/settings/forms',
  events: '/settings/events',
  writingStyle: '/settings/writing-style',
  audit: '/settings/audit',
} as const;

export type ScreenName = keyof typeof screenPaths;

export type ScreenParams<N extends ScreenName> = ParamsOf<(typeof screenPaths)[N]>;
type ParamsOf<P extends string> = P extends `${string}$${infer Name}/${infer Rest}`
  ? { [K in Name]: string } & ParamsOf<`/${Rest}`>
  : P extends `${string}$${infer Name}`
    ? { [K in Name]: string }
    : object;

export function screenAddress(organization: number, name: ScreenName, params: Record<string, string> = {}): string {
  const path = screenPaths[name].replace(/\$(\w+)/g, (_whole, key: string) => encodeURIComponent(params[key] ?? ''));
  return `/${organization}${path === '/' ? '' : path}`;
}
