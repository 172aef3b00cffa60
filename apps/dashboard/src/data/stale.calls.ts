import type { ToolName } from '#client';

/** Tools that only read, by the form of their names. A new one of another form is named here. */
export type ReadingTool =
  | Exclude<
      Extract<
        ToolName,
        `list_${string}` | `get_${string}` | `search_${string}` | `count_${string}` | `preview_${string}`
      >,
      'get_or_create_tags'
    >
  | Extract<
      ToolName,
      | 'query_subscribers'
      | 'export_subscribers'
      | 'explain'
      | 'render_campaign'
      | 'fetch_web_page'
      | 'validate_workflow_draft'
      | 'simulate_workflow'
      | 'check_subscriber_import'
      | 'export_audit_log'
    >;
export type WritingTool = Exclude<ToolName, ReadingTool>;

const people = [
  'list_subscribers',
  'query_subscribers',
  'search_subscribers',
  'count_subscribers',
  'count_subscribers_by_status',
  'get_subscribers_by_tag',
  'get_subscriber',
  'get_subscriber_details',
  'get_merge_values',
  'list_subscriber_events',
  'search_subscriber_events',
  'list_suppressed_subscribers',
  'get_subscriber_stats',
  'get_subscriber_growth',
  'get_org_stats',
] as const;
const tags = ['list_tags', 'get_available_filters'] as const;
const segments = ['list_segments', 'get_segment', 'get_available_filters'] as const;
const fields = ['get_custom_fields', 'get_available_filters', 'get_available_variables'] as const;
const imports = ['get_subscriber_import', 'list_subscriber_imports'] as const;
const exports = ['get_subscriber_export', 'list_subscriber_exports'] as const;
const campaigns = [
  'list_campaigns',
  'search_campaigns',
  'get_campaign',
  'render_campaign',
  'list_campaign_history',
  'preview_send',
  'get_campaign_progress',
] as const;
const sends = [
  ...campaigns,
  'list_campaign_recipients',
  'get_campaign_analytics',
  'get_campaign_series',
  'list_sends',
  'get_send',
  'list_messages',
] as const;
const snippets = ['get_email_snippets', 'get_email_snippet', 'render_campaign'] as const;
const images = ['list_images'] as const;
const workflows = ['list_workflows', 'search_workflows', 'get_workflow', 'list_workflow_groups'] as const;
const runs = [...workflows, 'list_workflow_runs', 'get_workflow_flow', 'get_subscriber_workflow_runs'] as const;
const groups = [...workflows, 'get_workflow_group'] as const;
const domains = ['list_domains', 'get_domain_dns_records', 'get_deliverability_health', 'get_email_senders'] as const;
const senders = ['get_email_senders', 'list_domains'] as const;
const webDomains = ['list_web_domains', 'get_web_domain'] as const;
const members = ['list_members', 'list_invitations', 'get_me'] as const;
const tokens = ['list_api_tokens', 'get_me'] as const;
const organizations = ['get_organization', 'list_organizations', 'get_me', 'get_org_stats'] as const;
const approvals = ['list_approvals', 'get_approval'] as const;
const deadLetters = ['list_dead_letters', 'get_dead_letter'] as const;

/** Which reads each writing tool makes stale. The record is total: a new tool does not compile without a line. */
export const staleAfter: Record<WritingTool, readonly ReadingTool[]> = {
  create_tag: tags,
  get_or_create_tags: tags,
  rename_tag: [...tags, ...people],
  delete_tag: [...tags, ...people],
  add_subscriber: [...people, ...tags],
  update_subscriber: [...people, ...tags],
  unsubscribe: people,
  reactivate_subscriber: people,
  delete_subscriber: people,
  export_subscriber_data: exports,
  set_subscriber_ban: people,
  create_segment: segments,
  update_segment: segments,
  delete_segment: segments,
  duplicate_segment: segments,
  import_subscribers: [...people, ...tags],
  create_subscriber_import: imports,
  add_rows_to_subscriber_import: imports,
  start_subscriber_import: [...imports, ...people],
  cancel_subscriber_import: imports,
  bulk_add_tags: [...people, ...tags],
  bulk_remove_tags: [...people, ...tags],
  create_event: people,
  create_custom_field: fields,
  rename_custom_field: [...fields, ...people],
  delete_custom_field: [...fields, ...people],
  create_subscriber_export: exports,
  create_campaign: campaigns,
  edit_campaign: campaigns,
  autosave_campaign: ['get_campaign'],
  update_campaign_filters: campaigns,
  send_test_email: ['list_messages'],
  schedule_campaign: sends,
  cancel_campaign_schedule: sends,
  duplicate_campaign: campaigns,
  archive_campaign: campaigns,
  unarchive_campaign: campaigns,
  restore_campaign_history: campaigns,
  pause_campaign: sends,
  resume_campaign: sends,
  retry_campaign: sends,
  stop_campaign: sends,
  delete_campaign: campaigns,
  create_email_snippet: snippets,
  update_email_snippet: snippets,
  archive_email_snippet: snippets,
  unarchive_email_snippet: snippets,
  update_writing_style: ['get_writing_style'],
  upload_image: images,
  upload_image_file: images,
  describe_image: images,
  delete_image: images,
  auto_fit_campaign_images: campaigns,
  create_workflow: workflows,
  configure_workflow_draft: workflows,
  update_workflow_draft: workflows,
  delete_workflow: groups,
  publish_workflow: runs,
  update_workflow_status: runs,
  add_subscriber_to_workflow: runs,
  add_subscribers_to_workflow: runs,
  remove_subscriber_from_workflow: runs,
  fast_forward_workflow_subscriber: runs,
  create_workflow_group: groups,
  update_workflow_group: groups,
  set_workflow_group: groups,
  delete_workflow_group: groups,
  create_domain: domains,
  verify_domain: domains,
  delete_domain: domains,
  create_email_sender: senders,
  update_email_sender: senders,
  delete_email_sender: senders,
  set_default_sender: senders,
  create_web_domain: webDomains,
  verify_web_domain: webDomains,
  delete_web_domain: webDomains,
  update_organization_settings: organizations,
  update_organization: organizations,
  create_organization: organizations,
  set_organization_plan: organizations,
  set_plan_quotas: [...organizations, 'list_plans'],
  create_api_token: tokens,
  update_api_token: tokens,
  rotate_api_token: tokens,
  revoke_api_token: tokens,
  set_retention: ['get_retention'],
  retry_dead_letters: deadLetters,
  discard_dead_letters: deadLetters,
  send_email: ['list_messages'],
  invite_member: members,
  revoke_invitation: members,
  update_member_role: members,
  remove_member: members,
  end_member_sessions: members,
  send_password_reset: [],
  reset_member_factors: members,
  decide_approval: [...approvals, ...sends, ...runs, ...people],
  withdraw_approval: approvals,
};
