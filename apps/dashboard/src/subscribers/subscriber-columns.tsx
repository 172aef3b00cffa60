import { date } from '../messages/format.js';
import { subscriberText } from '../messages/en/subscribers.js';
import type { Column } from '../parts/record-row.js';
import { Badge } from '../ui/states.js';
import type { Subscriber } from './subscriber-details.js';
import { StatusBadge } from './subscriber-status.js';

/** The columns of the list of subscribers. */
export const subscriberColumns: readonly Column<Subscriber>[] = [
  { id: 'email', header: subscriberText('email'), width: 'minmax(0, 1.6fr)', cell: ({ email }) => email },
  {
    id: 'name',
    header: subscriberText('name'),
    width: 'minmax(0, 1.2fr)',
    phone: 'detail',
    cell: ({ name }) => name ?? <span className="text-soft">–</span>,
  },
  {
    id: 'status',
    header: subscriberText('status'),
    width: '8rem',
    phone: 'aside',
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  {
    id: 'tags',
    header: subscriberText('tags'),
    cell: ({ tags }) => (
      <span className="flex gap-1 overflow-hidden">
        {tags.map(({ id, name }) => (
          <Badge key={id}>{name}</Badge>
        ))}
      </span>
    ),
  },
  {
    id: 'opens',
    header: subscriberText('opens'),
    width: '5rem',
    align: 'end',
    cell: ({ openCount, emailCount }) =>
      emailCount === 0 ? <span className="text-soft">–</span> : `${openCount} / ${emailCount}`,
  },
  {
    id: 'added',
    header: subscriberText('added'),
    width: '7rem',
    align: 'end',
    cell: ({ createdAt }) => <span className="text-soft">{date(createdAt)}</span>,
  },
];
