import { example, page } from '../doc-page.js';

const paragraph = (text: string, attrs?: object) => ({
  type: 'paragraph',
  ...(attrs && { attrs }),
  content: [{ type: 'text', text }],
});
const customers = { type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['customer'] };

/** What each type of step may say in its config; the graph's reader refuses the rest. */
const workflowConfigs = [
  'What `config` says, by the type of the step (`filters`: as in get_skill with type filters; `event`: `{kind, …}` as in a TRIGGER, without DATE_FIELD and MANUAL):',
  '',
  '- TRIGGER: `{kind, filters?}`, the kinds being SUBSCRIBED, UNSUBSCRIBED and MANUAL; TAG_ADDED and TAG_REMOVED (`tags?`: any of them); FIELD_UPDATED (`fieldId?`); EMAIL_OPENED and EMAIL_CLICKED (`campaignId?`); EVENT (`eventType`: SUBSCRIBER_PAYMENT, or one of your own); DATE_FIELD (`fieldId`, `offsetDays?`: -3 is three days before, `time?`). Without a TRIGGER runs begin, by hand, at the one step that no edge leads to.',
  '- EMAIL: `{subject, content, contentType?, preview?, senderId?, replyTo?}`, or `{campaignId}` of an email or campaign.',
  '- WAIT: `{duration}` in seconds, `{amount, unit}` (MINUTES, HOURS, DAYS, WEEKS), `{timeOfDay: "09:00", weekdays?, timezone?}` (1 is Monday), or `{fieldId, offsetDays?, timeOfDay?}` for a day in a custom field.',
  '- WAIT_UNTIL: `{event}` or `{filters}`, and `timeout` in seconds. Filters may be met already; an event is one that comes while the run waits here, so put a wait for an opening directly after its EMAIL, with no WAIT between.',
  '- CONDITION: `{filters}`. SPLIT: `{branches: [{name, weight}]}`. MOVE_TO_STEP: `{stepId}`. EXIT: `{reason?}`.',
  '- GOAL: `{event}` or `{filters}`; a run that waits anywhere before it jumps here when it is met.',
  '- ACTION: `{kind: ADD_TAGS or REMOVE_TAGS, tags}`, `{kind: SET_FIELD, field, value}`, `{kind: UNSUBSCRIBE, reason?}`, `{kind: ADD_TO_WORKFLOW or REMOVE_FROM_WORKFLOW, workflowId, stepId?}`, `{kind: WEBHOOK, url, secret?, headers?}`.',
  '- WEBHOOK posts `{subscriberId, subscriberEmail, stepId, workflowId, organizationId, runId}` as JSON to a public address (port 80, 443, 8080 or 8443). With a `secret` the receiver can verify the sender: `X-Tidings-Signature` is `t=<seconds>,v1=<hex>`, the HMAC-SHA256 of `<seconds>.<body>` with that secret, which is also sent in `X-Tidings-Secret`. `X-Tidings-Delivery` is the same for every try. A status below 400 goes on; 408, 425, 429, 5xx and no answer are tried again for 24 hours; any other fails the run.',
  '',
  '`settings`: `{reentry: ONCE, AFTER_FINISH or ALWAYS, exitRules: [{event} or {filters}], exitOnUnsubscribe, sendWindow: {weekdays?, from, to}, timezone}`. `successGoals`: `[{id?, name?, event or filters, withinDays?}]`, counted once a run.',
].join('\n');

export const writingPages = [
  page('variables', 'Variables', 'Personal text: names, fields, fallbacks, conditional blocks.', [
    'get_available_variables lists every variable of this organization, with its syntax and an example.',
    example('get_available_variables', {}),
    'In any text (subject, preview, paragraphs, MARKDOWN, addresses of links) write a variable in double braces, with a fallback after a bar for subscribers without a value. Always give name, firstName, phone and custom fields a fallback.',
    example('create_campaign', {
      subject: "{{firstName | 'Friend'}}, your letter",
      contentType: 'MARKDOWN',
      content:
        "Dear {{name | 'reader'}},\n\nwe write to {{email}} © {{currentYear}} {{org-name}}.\n\n[Your page](https://example.com/me?mail={{email}})\n\n[Unsubscribe]({{unsubscribeUrl}})",
    }),
    'A custom field is named as it is, without a prefix and in any case. A name that is neither built in nor a custom field causes the warning VARIABLE_UNKNOWN: every recipient would get the fallback.',
    'In a document a variable may also be a node:',
    example('edit_campaign', {
      id: '{campaignId}',
      operations: [
        {
          op: 'prepend_node',
          node: {
            type: 'paragraph',
            content: [
              { type: 'text', text: 'Hi ' },
              { type: 'variable', attrs: { id: 'firstName', fallback: 'there' } },
            ],
          },
        },
      ],
    }),
    "A custom field is named by its own name, spaces included: {{shoe size | 'unknown'}}. Values are escaped for their place: a name with < or & does no harm in HTML, and in an address it is percent-encoded.",
    '## Conditional blocks',
    'Any block may carry attrs.showIf, a list of filters: only who matches sees it. attrs.showIfKey names a variable instead: shown where that is not empty.',
    example('edit_campaign', {
      id: '{campaignId}',
      operations: [
        { op: 'insert_node', index: 0, node: paragraph('Thank you for being a customer.', { showIf: [customers] }) },
        { op: 'insert_node', index: 1, node: paragraph('We have your number: {{phone}}.', { showIfKey: 'phone' }) },
      ],
    }),
    '## Links that change tags',
    'A click on a link whose href is {{addTag:NAME}} or {{removeTag:NAME}} changes the tags of who clicks.',
    example('create_campaign', {
      subject: 'Shall we go on?',
      contentType: 'MARKDOWN',
      content: '[Yes, keep writing]({{addTag:interested}})\n\n[Unsubscribe]({{unsubscribeUrl}})',
    }),
  ]),
  page('copywriter', 'Writing mail that is read', 'House style, subject lines, structure, and what to avoid.', [
    'Read the writing style first and keep to it: persona says who speaks, audience who reads, vocabulary which words, rules the rest. An empty style leaves you the advice below.',
    example('get_writing_style', {}),
    'When the person you work for corrects your tone twice, offer to write it down:',
    example('update_writing_style', {
      persona: 'A gardener who shares what she learns, in the first person',
      audience: 'Hobby gardeners with a balcony',
      vocabulary: 'Say plants, not products. Avoid: amazing, revolutionary',
      rules: 'Under 150 words. One link. No exclamation marks.',
    }),
    '## Subject and preview',
    '- Say what the mail is about in 30 to 50 characters; over 150 is warned.\n- The preview goes on where the subject ends; 40 to 90 characters. Do not repeat the subject.\n- No capitals for emphasis and at most one emoji.',
    '## Body',
    '- One aim a mail, one main button. Say the aim in the first two sentences.\n- Paragraphs of one to three sentences; headings when there are more than four paragraphs.\n- Link words that say where they lead, never "click here".\n- Every image has an alt text, and the mail makes sense without images.\n- A fallback for every personal variable.\n- The unsubscribe link stays, in plain words.',
    '## Check',
    'render_campaign shows the text part as well: read it aloud. Its warnings name missing alt texts and fallbacks, http links, empty paragraphs, and mails over 102 KB, which Gmail cuts.',
    example('render_campaign', { campaignId: '{campaignId}', format: 'both' }),
  ]),
  page('filters', 'Filters', 'Who a campaign goes to: the language of filters with examples.', [
    'A list of filters is combined with AND; an empty list matches all subscribers. Campaigns go to SUBSCRIBED subscribers only, for any filters. get_available_filters lists every type, field and operator with the parameters each takes.',
    example('get_available_filters', {}),
    'A filter is {type, field, operator} and the operator’s own parameters. Tags, segments and fields may be named by id or by name.',
    'What its examples do not show: CAMPAIGN takes `campaignId` or `campaignName`, or `any: true` with `inLastDays?`, and CLICKED a `url?`; EVENT takes `inLastDays?` and `minCount?`.',
    example('update_campaign_filters', {
      campaignId: '{campaignId}',
      filters: [
        customers,
        { type: 'STRING', field: 'email', operator: 'ENDS_WITH', value: '@example.com' },
        { type: 'DATE', field: 'createdAt', operator: 'IN_LAST', amount: 90, unit: 'DAYS' },
      ],
    }),
    'OR is a GROUP with match ANY; groups nest three deep.',
    example('update_campaign_filters', {
      campaignId: '{campaignId}',
      filters: [
        {
          type: 'GROUP',
          match: 'ANY',
          filters: [customers, { type: 'NUMBER', field: 'openCount', operator: 'GREATER_THAN', value: 3 }],
        },
      ],
    }),
    'The same filters choose subscribers, make segments and show blocks of a campaign.',
    example('query_subscribers', { filters: [customers], limit: 10 }),
    example('create_segment', { name: 'Engaged customers', filters: [customers] }),
    'CAMPAIGN, SYSTEM and the counters mean what people opened and clicked; EVENT means the entries of the history, including those of receiving servers’ scanners.',
    'A filter that names something unknown is refused with its path in issues; it is never ignored silently. Count before you send: update_campaign_filters returns recipientCount.',
  ]),
  page('onboarding', 'First steps', 'From an empty account to the first campaign.', [
    '1. See what there is: senders, tags and subscribers.',
    example('get_email_senders', {}),
    example('list_tags', {}),
    example('count_subscribers', {}),
    '2. Set name and time zone of the organization; dates of statistics follow the zone.',
    example('update_organization_settings', { timezone: 'Europe/Paris' }),
    '3. Write the house style down (skill copywriter).',
    '4. Add people who agreed to get mail. An unknown field or tag is created.',
    example('add_subscriber', {
      email: 'grace@example.com',
      name: 'Grace Hopper',
      tags: ['newsletter'],
      fields: { city: 'New York' },
    }),
    example('import_subscribers', {
      subscribers: [{ email: 'alan@example.com', name: 'Alan Turing' }, { email: 'emmy@example.com' }],
    }),
    '5. Create a campaign and send yourself a test (skill campaign).',
    '6. Schedule it (skill sending).',
    'An organization begins with a sandbox domain and a sender on it: good for trying everything with test addresses. For real mail add your own domain and its DNS records.',
  ]),
  page('images', 'Images', 'Upload, find, describe and fit images.', [
    'Images of a mail must be reachable by every reader: upload them, and use the url of the answer. PNG, JPEG, GIF and WebP under 2 MB are taken; SVG is not, since mail clients do not show it.',
    example('upload_image', { url: '{imageUrl}', name: 'Spring bed', description: 'Peas and radishes in a bed' }),
    'Look for one that is there before you upload; the search covers name and description.',
    example('list_images', { query: 'spring' }),
    example('describe_image', { imageId: '{imageId}', description: 'Peas and radishes in a wooden bed' }),
    'Put it into a document, src being the url that upload_image answered, with an alt text that says what it shows, and its width in pixels (600 fills the mail):',
    example('edit_campaign', {
      id: '{campaignId}',
      operations: [
        {
          op: 'prepend_node',
          node: {
            type: 'image',
            attrs: { src: '{hostedImageUrl}', alt: 'Peas in a wooden bed', width: 600 },
          },
        },
      ],
    }),
    'auto_fit_campaign_images gives each image the size it really has, within a maximum, never larger. Ask first with dryRun: the indexes of its answer choose images in the second call.',
    example('auto_fit_campaign_images', { campaignId: '{campaignId}', dryRun: true }),
  ]),
  page('workflow', 'Workflows', 'Automations: triggers, waits, conditions and emails as a graph.', [
    'A workflow is a graph of steps and edges that runs once for each subscriber who enters. It is written as a draft and published as a version that never changes; runs stay on the version they began with.',
    example('create_workflow', { name: 'Welcome' }),
    'configure_workflow_draft replaces the whole draft, with the exact updatedAt of get_workflow. It returns every problem of a graph at once, each with its step.',
    example('configure_workflow_draft', {
      workflowId: '{workflowId}',
      expectedUpdatedAt: '{workflowUpdatedAt}',
      steps: [
        { id: 'start', type: 'TRIGGER', config: { kind: 'TAG_ADDED', tags: ['customer'] } },
        { id: 'pause', type: 'WAIT', config: { amount: 3, unit: 'DAYS' } },
        {
          id: 'welcome',
          type: 'EMAIL',
          config: { subject: 'Welcome', contentType: 'MARKDOWN', content: 'Hi\n\n[Unsubscribe]({{unsubscribeUrl}})' },
        },
        { id: 'opened', type: 'WAIT_UNTIL', config: { event: { kind: 'EMAIL_OPENED' }, timeout: 604800 } },
        { id: 'tag', type: 'ACTION', config: { kind: 'ADD_TAGS', tags: ['engaged'] } },
        { id: 'end', type: 'EXIT', config: {} },
      ],
      edges: [
        { source: 'start', target: 'pause' },
        { source: 'pause', target: 'welcome' },
        { source: 'welcome', target: 'opened' },
        { source: 'opened', target: 'tag', branch: 'MATCHED' },
        { source: 'opened', target: 'end', branch: 'TIMEOUT' },
        { source: 'tag', target: 'end' },
      ],
      settings: { reentry: 'ONCE', exitOnUnsubscribe: true },
    }),
    'The tags of a trigger must exist (get_or_create_tags makes them); those that an ACTION adds are made by it.',
    'Step ids are yours: letters, digits, _ and -. Branches: WAIT_UNTIL has MATCHED and TIMEOUT, CONDITION has TRUE and FALSE, SPLIT the names of its branches; every other step has one edge or none.',
    workflowConfigs,
    'A tag that starts a workflow is given like any other:',
    example('add_subscriber', { email: 'ada@example.com', tags: ['newsletter'] }),
    'Publishing makes the workflow ACTIVE (activate false: PAUSED). Then people enter by its triggers, or by hand: see with dryRun first who would.',
    example('publish_workflow', { workflowId: '{configuredWorkflowId}' }),
    example('add_subscribers_to_workflow', {
      workflowId: '{liveWorkflowId}',
      filters: [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['customer'] }],
      dryRun: true,
    }),
    'get_subscriber_workflow_runs lists each step of a run with its reason; fast_forward_workflow_subscriber ends one wait at once, to try a workflow out.',
    'Emails of a workflow go only to subscribers who may receive them; a cycle needs a wait in it; a wait is at most one year.',
  ]),
];
