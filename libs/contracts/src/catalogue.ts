import type { Service, ToolContract, ToolSet } from './define.js';
import { accessTools } from './tools/access.js';
import { analyticsTools } from './tools/analytics.js';
import { approvalTools } from './tools/approval.js';
import { bulkTagTools } from './tools/bulk-tag.js';
import { campaignControlTools } from './tools/campaign-control.js';
import { campaignLifeTools } from './tools/campaign-lifecycle.js';
import { campaignReportTools } from './tools/campaign-report.js';
import { campaignTools } from './tools/campaign.js';
import { customFieldTools } from './tools/custom-field.js';
import { deadLetterTools } from './tools/dead-letter.js';
import { deliverabilityTools } from './tools/deliverability.js';
import { deliveryInspectionTools } from './tools/delivery-inspection.js';
import { domainManagementTools } from './tools/domain-management.js';
import { domainTools } from './tools/domain.js';
import { emailTools } from './tools/email.js';
import { engagementTools } from './tools/engagement.js';
import { explainTools } from './tools/explain.js';
import { exportTools } from './tools/export.js';
import { filterTools } from './tools/filter.js';
import { imageTools } from './tools/image.js';
import { importTools } from './tools/import.js';
import { memberTools } from './tools/member.js';
import { mergeValueTools } from './tools/merge-value.js';
import { organizationTools } from './tools/organization.js';
import { paymentTools } from './tools/payment.js';
import { retentionTools } from './tools/retention.js';
import { segmentTools } from './tools/segment.js';
import { subscriberImportTools } from './tools/subscriber-import.js';
import { skillTools } from './tools/skill.js';
import { snippetTools } from './tools/snippet.js';
import { subscriberQueryTools } from './tools/subscriber-query.js';
import { subscriberRecordTools } from './tools/subscriber-record.js';
import { subscriberTools } from './tools/subscriber.js';
import { suppressionTools } from './tools/suppression.js';
import { tagTools } from './tools/tag.js';
import { webTools } from './tools/web.js';
import { workflowGroupTools } from './tools/workflow-group.js';
import { workflowInsightTools } from './tools/workflow-insight.js';
import { workflowLifeTools, workflowRunTools } from './tools/workflow-run.js';
import { workflowSimulationTools } from './tools/workflow-simulation.js';
import { workflowTools } from './tools/workflow.js';
import { writingStyleTools } from './tools/writing-style.js';

export interface CatalogueEntry {
  name: string;
  service: Service;
  contract: ToolContract;
}

export const toolSets: readonly ToolSet[] = [
  tagTools,
  subscriberQueryTools,
  subscriberTools,
  mergeValueTools,
  engagementTools,
  explainTools,
  subscriberRecordTools,
  segmentTools,
  filterTools,
  analyticsTools,
  importTools,
  subscriberImportTools,
  bulkTagTools,
  paymentTools,
  suppressionTools,
  customFieldTools,
  exportTools,
  campaignTools,
  campaignLifeTools,
  campaignControlTools,
  campaignReportTools,
  snippetTools,
  writingStyleTools,
  skillTools,
  imageTools,
  webTools,
  workflowTools,
  workflowLifeTools,
  workflowRunTools,
  workflowInsightTools,
  workflowSimulationTools,
  workflowGroupTools,
  domainTools,
  domainManagementTools,
  deadLetterTools,
  retentionTools,
  emailTools,
  deliverabilityTools,
  memberTools,
  approvalTools,
  deliveryInspectionTools,
  accessTools,
  organizationTools,
];

export const catalogue: ReadonlyMap<string, CatalogueEntry> = new Map(
  toolSets.flatMap(({ service, calls }) =>
    Object.entries(calls).map(([name, contract]) => [name, { name, service, contract }] as const),
  ),
);
