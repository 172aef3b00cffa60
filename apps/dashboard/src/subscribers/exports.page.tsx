import type { ToolData } from '#client';
import { wholeList } from '../data/whole-list.js';
import { dateTime, number, percent } from '../messages/format.js';
import { subscriberText } from '../messages/en/subscribers.js';
import { CopyAs } from '../parts/copy-as.js';
import { Page } from '../parts/page.js';
import { RecordList } from '../parts/record-list.js';
import type { Column } from '../parts/record-row.js';
import { ScreenLink } from '../parts/screen-link.js';
import { buttonClass } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { Badge, EmptyState } from '../ui/states.js';
import type { Tone } from '../ui/states.js';

type Export = ToolData<'list_subscriber_exports'>['exports'][number];

const tones: Record<Export['status'], Tone> = { QUEUED: 'plain', RUNNING: 'info', DONE: 'good', FAILED: 'bad' };

const columns: readonly Column<Export>[] = [
  { id: 'started', header: subscriberText('exports.started'), cell: ({ createdAt }) => dateTime(createdAt) },
  {
    id: 'rows',
    header: subscriberText('exports.rows'),
    width: '6rem',
    align: 'end',
    cell: ({ rows }) => number(rows),
  },
  {
    id: 'state',
    header: subscriberText('exports.state'),
    width: '9rem',
    phone: 'aside',
    cell: ({ status, progress }) => (
      <Badge tone={tones[status]}>
        {status === 'RUNNING'
          ? subscriberText('exports.share', { share: percent(progress) })
          : subscriberText(`exports.${status}`)}
      </Badge>
    ),
  },
  {
    id: 'failure',
    header: subscriberText('exports.failure'),
    phone: 'detail',
    cell: ({ failure }) => failure !== undefined && <span title={failure}>{failure}</span>,
  },
  {
    id: 'file',
    header: subscriberText('exports.file'),
    width: '8rem',
    align: 'end',
    phone: 'aside',
    cell: ({ downloadUrl }) =>
      downloadUrl !== undefined && (
        <a href={downloadUrl} download className={buttonClass('plain', true)}>
          <Icon name="download" />
          {subscriberText('export.download')}
        </a>
      ),
  },
];

/** The most recent exports, with their files. */
export function ExportsPage() {
  return (
    <Page
      title={subscriberText('exports.title')}
      lead={subscriberText('exports.lead')}
      fill
      actions={<CopyAs tool="list_subscriber_exports" input={{}} />}
    >
      <RecordList
        label={subscriberText('exports.title')}
        query={wholeList('list_subscriber_exports', {})}
        rowsOf={({ exports }) => exports}
        idOf={({ exportId }) => exportId}
        columns={columns}
        empty={
          <EmptyState
            icon="download"
            title={subscriberText('exports.empty')}
            action={
              <ScreenLink screen="subscribers" className={buttonClass('primary')}>
                {subscriberText('title')}
              </ScreenLink>
            }
          >
            {subscriberText('exports.emptyLead')}
          </EmptyState>
        }
      />
    </Page>
  );
}
