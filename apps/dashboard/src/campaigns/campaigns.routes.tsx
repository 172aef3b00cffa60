import type { Screen } from '../parts/screen.js';

export const campaignScreens: Screen[] = [
  { name: 'campaigns', load: async () => (await import('./campaigns.page.js')).CampaignsPage },
  { name: 'campaign', load: async () => (await import('./campaign.page.js')).CampaignPage },
  { name: 'campaignWrite', load: async () => (await import('./campaign-write.page.js')).CampaignWritePage },
  { name: 'campaignAudience', load: async () => (await import('./campaign-audience.page.js')).CampaignAudiencePage },
  { name: 'campaignReview', load: async () => (await import('./campaign-review.page.js')).CampaignReviewPage },
  { name: 'campaignReport', load: async () => (await import('./campaign-report.page.js')).CampaignReportPage },
  { name: 'campaignHistory', load: async () => (await import('./campaign-history.page.js')).CampaignHistoryPage },
];
