import { example, page, sample } from '../doc-page.js';

const text = (words: string, ...marks: object[]) => ({ type: 'text', text: words, ...(marks.length > 0 && { marks }) });
const paragraph = (...content: object[]) => ({ type: 'paragraph', content });

export const referencePages = [
  page('calls', 'Calls, answers and refusals', 'The envelope, error codes, repeating safely.', [
    'Every tool is POST /api/v2/tools/{name} with one JSON object. A success is {"success": true, "data": …}. A refusal is:',
    sample({
      success: false,
      error:
        'The campaign is SENT; only a DRAFT campaign can be changed, scheduled or archived. duplicate_campaign copies it to a new DRAFT.',
      code: 'INVALID_STATE',
      reason: 'CAMPAIGN_NOT_DRAFT',
    }),
    'error is for people, code is the class, reason the exact rule. VALIDATION_ERROR lists all problems in issues, each with the path of the parameter. NOT_FOUND is also the answer for another organization’s id. STALE_UPDATE means: read again and repeat. RATE_LIMITED and RECIPIENT_GUARD: wait Retry-After seconds.',
    'After a TIMEOUT the outcome is unknown: repeat the same call with the same Idempotency-Key header, which answers the first result instead of doing it twice. Send that header with every call that writes.',
    'An unknown parameter is refused with the nearest known one, so names need no guessing; null means left out, save where it clears.',
  ]),
  page('confirmation', 'Confirmation codes', 'How tools with a great effect ask before they act.', [
    'schedule_campaign, send_email, publish_workflow, update_workflow_status (save for PAUSED), archive_campaign, resume_campaign, retry_campaign, stop_campaign, archive_email_snippet, start_subscriber_import, remove_member, discard_dead_letters, set_retention and every tool that deletes ask first. The first call changes nothing and answers:',
    sample({
      success: false,
      error: 'CONFIRMATION_REQUIRED',
      message: "Sends 'Spring news' now to 12,408 subscribers from Ada <ada@example.com>.",
      confirmationCode: 48213,
    }),
    'Repeat exactly the same parameters with confirmationCode added, within five minutes. Another parameter needs another code; three wrong codes void it. What would be refused anyway is refused at once, without a code.',
  ]),
  page('documents', 'Documents', 'Every node and mark of a MAILY document.', [
    'A document is {"type": "doc", "content": [nodes]}. An unknown node or attribute is refused with its path. This campaign holds nearly every node:',
    example('create_campaign', {
      subject: 'Every node',
      content: {
        type: 'doc',
        content: [
          { type: 'logo', attrs: { src: 'https://example.com/logo.png', alt: 'Example', size: 'sm' } },
          { type: 'heading', attrs: { level: 1, textAlign: 'center' }, content: [text('Heading')] },
          paragraph(
            text('Bold', { type: 'bold' }),
            text(' and '),
            text('a link', { type: 'link', attrs: { href: 'https://example.com/' } }),
            { type: 'hardBreak' },
            text('colour', { type: 'textStyle', attrs: { color: '#0a7d33' } }),
          ),
          { type: 'blockquote', content: [paragraph(text('Quoted'))] },
          { type: 'bulletList', content: [{ type: 'listItem', content: [paragraph(text('A point'))] }] },
          { type: 'orderedList', content: [{ type: 'listItem', content: [paragraph(text('First'))] }] },
          { type: 'image', attrs: { src: 'https://example.com/a.png', alt: 'A', width: 300, alignment: 'center' } },
          {
            type: 'button',
            attrs: {
              text: 'Go',
              url: 'https://example.com/',
              variant: 'filled',
              alignment: 'center',
              buttonColor: '#0a7d33',
              textColor: '#ffffff',
              borderRadius: 'smooth',
            },
          },
          { type: 'spacer', attrs: { height: 24 } },
          { type: 'horizontalRule' },
          {
            type: 'section',
            attrs: { backgroundColor: '#f4f4f4', padding: 16 },
            content: [paragraph(text('In a section'))],
          },
          {
            type: 'columns',
            content: [
              { type: 'column', attrs: { width: 60 }, content: [paragraph(text('Left'))] },
              { type: 'column', attrs: { width: 40 }, content: [paragraph(text('Right'))] },
            ],
          },
          { type: 'html', attrs: { content: '<p>Own HTML is cleaned.</p>' } },
          {
            type: 'footer',
            content: [text('Unsubscribe', { type: 'link', attrs: { href: '{{unsubscribeUrl}}' } })],
          },
        ],
      },
    }),
    'Marks of a text: bold, italic, underline, strike, code, link, textStyle {color}. textAlign: left, center, right. Snippets: {"type": "snippet", "attrs": {"snippetId"}}. Variables: {"type": "variable", "attrs": {"id", "fallback"}} or {{name | \'fallback\'}} in text. PLATE takes Plate’s array of nodes and is turned into the same document; MARKDOWN is CommonMark with tables.',
  ]),
  page('editing', 'Editing by operations', 'Small, exact changes of a campaign’s content.', [
    'operations change a document without sending it again. They are applied in order, all or none, and the answer has the number of places that each matched. index counts top-level nodes from 0 at that moment; path reaches nested ones ([3, 0]: the first child of the fourth node).',
    example('edit_campaign', {
      id: '{campaignId}',
      operations: [
        { op: 'replace_text', search: 'Write your message here.', replace: 'Spring is here.' },
        { op: 'insert_node', index: 1, node: paragraph(text('Second')) },
        { op: 'prepend_node', node: paragraph(text('First')) },
        { op: 'append_node', path: [1], node: text(' and more') },
        { op: 'replace_node', index: 0, node: { type: 'heading', attrs: { level: 2 }, content: [text('Title')] } },
        { op: 'append_node', node: paragraph(text('Last')) },
        { op: 'remove_node', index: 2 },
      ],
    }),
    'replace_text changes the first place, with all: true every one; formatting around it stays. A text that is not found is refused with the nearest one that is there. MARKDOWN takes replace_text only.',
    'Every save is kept in the history and can be brought back:',
    example('list_campaign_history', { campaignId: '{campaignId}' }),
    example('get_campaign_history_entry', { campaignId: '{campaignId}', historyId: '{historyId}' }),
    example('restore_campaign_history', { campaignId: '{campaignId}', historyId: '{historyId}' }),
  ]),
  page('limits', 'Limits', 'Sizes, rates and page lengths.', [
    '- Calls a minute and organization: Free 100, Premium 700, Enterprise 2,000; the X-RateLimit headers show how many remain.\n- A body: 1 MB; with content or import_subscribers 5 MB.\n- import_subscribers: 500 rows a call. send_test_email: 5 addresses. edit_campaign: 100 operations.\n- A real mailbox: 5 messages in 10 minutes, 20 in 24 hours; test addresses are exempt.\n- Images: under 2 MB. History: the newest 200 entries.\n- Subject 998 characters (warned over 150), name 255.\n- Lists: 100 a page; go on with nextCursor, or with page up to pageCount. Those without pages: 1,000.',
    example('list_campaigns', { page: 1, limit: 100 }),
  ]),
];
