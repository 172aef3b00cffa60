import type { Service } from '#contracts';

/** Where an address or a name of a subscriber is kept, and until when. The table in docs/guides/personal-data.md is made of these. */
export interface PersonalPlace {
  /** `schema.table.column`, or a description of a place outside PostgreSQL; `*` matches each of the five schemas. */
  place: string;
  holds: string;
  /** What an erasure does there. */
  erasure: string;
  /** Set where something outlives its subscriber: until when, and what enforces it. */
  age?: string;
  /** The job that enforces the age, and the statement that makes its rows old enough; `*` as in `place`. */
  job?: { service: Service | '*'; name: string; makeOld: string };
  /** The table whose partitions are dropped at the age. */
  partition?: true;
}

const withSubscriber = 'deleted in the same transaction';
const byEvent =
  'removed within a minute of `subscriber.deleted`, and again each hour while related work is in progress';
const shift = (table: string, column: string, days: number) =>
  `update ${table} set ${column} = ${column} - interval '${days} days'`;

/** All of them. A test creates data of a subscriber in each, deletes the subscriber, and searches every table. */
export const personalPlaces: readonly PersonalPlace[] = [
  { place: 'subscriber.subscriber.email', holds: 'the address', erasure: withSubscriber },
  { place: 'subscriber.subscriber.email_key', holds: 'the address in its normalized form', erasure: withSubscriber },
  { place: 'subscriber.subscriber.name', holds: 'the name', erasure: withSubscriber },
  { place: 'subscriber.subscriber.custom', holds: 'values of custom fields', erasure: withSubscriber },
  { place: 'subscriber.subscriber_event.data', holds: 'the history', erasure: withSubscriber },
  {
    place: 'subscriber.campaign_recipient.subject_values',
    holds: 'values of variables of the subject, which may contain the name',
    erasure: withSubscriber,
  },
  { place: 'subscriber.audience_page.emails', holds: 'recipients of a send or an enrolment', erasure: withSubscriber },
  {
    place: 'subscriber.audience.filters',
    holds: 'filters of an enrolment that may name an address',
    erasure: 'stays until the audience is released',
    age: 'the end of the enrolment, 7 days at most; of a campaign the end of its send',
    job: {
      service: 'subscriber',
      name: 'release old audiences',
      makeOld: shift('audience', 'created_at', 8),
    },
  },
  {
    place: 'subscriber.export_chunk.content',
    holds: 'files of exports, compressed',
    erasure: 'stays: the caller has the file',
    age: '7 days',
    job: { service: 'subscriber', name: 'delete old exports', makeOld: shift('export', 'finished_at', 8) },
  },
  {
    place: 'subscriber.export.request',
    holds: 'filters and text of an export',
    erasure: 'stays with its file',
    age: '7 days',
    job: { service: 'subscriber', name: 'delete old exports', makeOld: shift('export', 'finished_at', 8) },
  },
  ...[
    { column: 'subscriber_import_piece.content', holds: 'files of imports, compressed' },
    { column: 'subscriber_import_error_chunk.content', holds: 'refused rows of imports, compressed' },
    { column: 'subscriber_import.checked', holds: 'sample rows of a check of an import' },
  ].map(({ column, holds }) => ({
    place: `subscriber.${column}`,
    holds,
    erasure: 'stays: the caller has the file',
    age: '7 days after the last change of the import',
    job: {
      service: 'subscriber' as const,
      name: 'delete old imports',
      makeOld: shift('subscriber_import', 'changed_at', 8),
    },
  })),
  { place: 'delivery.message.email', holds: 'the recipient', erasure: byEvent },
  { place: 'delivery.message.subject', holds: 'the subject, which may contain the name', erasure: byEvent },
  { place: 'delivery.message.response', holds: "the relay's reply", erasure: byEvent },
  { place: 'delivery.message.tags', holds: 'tags of the caller', erasure: byEvent },
  { place: 'delivery.campaign_message.email', holds: 'the recipient', erasure: byEvent },
  {
    place: 'delivery.campaign_message.subject_values',
    holds: 'values in the subject, which may contain the name',
    erasure: byEvent,
  },
  { place: 'delivery.campaign_message.response', holds: "the relay's reply", erasure: byEvent },
  { place: 'delivery.message_content.html', holds: 'the text', erasure: byEvent },
  { place: 'delivery.message_content.text', holds: 'the text', erasure: byEvent },
  { place: 'delivery.message_content.headers', holds: 'the envelope and headers', erasure: byEvent },
  { place: 'delivery.message_content.raw', holds: 'the complete message (RFC 5322)', erasure: byEvent },
  ...['message.email', 'message.subject', 'message.response', 'message_content.headers', 'message_content.raw'].map(
    (column): PersonalPlace => ({
      place: `delivery.${column}`,
      holds: 'a test of a campaign, to an address that belongs to no subscriber',
      erasure: 'stays: no subscriber belongs to it',
      age: '30 days',
      job: {
        service: 'delivery',
        name: 'forget test messages',
        makeOld: `update message m set message_id = uuid_floor(now() - interval '31 days') where subscriber_id is null;
          update message_content c set message_id = uuid_floor(now() - interval '31 days')
            where exists (select from test_message t where t.message_id = c.message_id);
          update test_message set message_id = uuid_floor(now() - interval '31 days')`,
      },
    }),
  ),
  {
    place: 'delivery.bounce_report.raw',
    holds: 'bounces and abuse reports as received',
    erasure: 'stays',
    age: '30 days',
    job: {
      service: 'delivery',
      name: 'forget bounce reports',
      makeOld: `update bounce_report set report_id = uuid_floor(clock_timestamp() - interval '31 days')`,
    },
  },
  {
    place: 'delivery.recipient_guard.mailbox',
    holds: 'mailboxes with recent messages',
    erasure: 'stays: it limits the messages of one mailbox',
    age: '24 hours',
    job: {
      service: 'delivery',
      name: 'forget the recipient guard',
      makeOld: `update recipient_guard set sent_at = array(select t - interval '25 hours' from unnest(sent_at) t)`,
    },
  },
  { place: 'workflow.run_history.data', holds: 'the recipient of a workflow email', erasure: byEvent },
  {
    place: 'Approvals, sealed under the master key',
    holds: 'the parameters, the preview and the question of a call that a person approved or rejected',
    erasure: 'stays: the record of approvals',
    age: 'parameters and preview 30 days after the decision, the question 400 days',
  },
  {
    place: 'domain.audit_entry.target',
    holds: 'the object of a call that named no id',
    erasure: 'stays: the record of calls',
    age: '400 days',
    job: {
      service: 'domain',
      name: 'forget the old audit log',
      makeOld: `update audit_entry set audit_id = uuid_floor(clock_timestamp() - interval '401 days')`,
    },
  },
  {
    place: '*.executed_call.answer',
    holds: 'results of calls with an idempotency key',
    erasure: 'stays',
    age: '24 hours',
    job: { service: '*', name: 'forget executed calls', makeOld: shift('executed_call', 'created_at', 2) },
  },
  ...['event', 'error'].map((column): PersonalPlace => ({
    place: `*.dead_letter.${column}`,
    holds: 'events that could not be applied',
    erasure: 'stays',
    age: '30 days, replayed or not',
    job: {
      service: '*',
      name: 'forget dead letters',
      makeOld: `update dead_letter set dead_letter_id = uuid_floor(clock_timestamp() - interval '31 days')`,
    },
  })),
  {
    place: '*.outbox.events',
    holds: 'events in transit',
    erasure: 'stays',
    age: '48 hours; 30 days while a service has not applied it; an unpublished event stays until it is published',
    partition: true,
  },
  {
    place: 'NATS streams `events` and `hits`',
    holds: 'events and clicks in transit',
    erasure: 'stays',
    age: '48 hours, by `max_age` of the stream',
  },
  {
    place: 'NATS bucket of confirmations',
    holds: 'hashes of calls; no address',
    erasure: 'nothing to erase',
    age: '5 minutes',
  },
  {
    place: '`DATA_DIR/attempts` of delivery',
    holds: 'values in the subject, and replies of the relay, of campaign messages in progress',
    erasure: 'stays',
    age: 'the end of the chunk; after a crash 8 days, or a restart of the machine',
  },
  {
    place: 'logs',
    holds: 'no address at `info` and above; addresses at `debug` and `trace`',
    erasure: 'stays',
    age: 'as long as the operator keeps logs',
  },
  {
    place: "the catcher's folder",
    holds: 'mails of a development installation',
    erasure: 'stays',
    age: 'the catcher keeps a limited number of mails, the newest',
  },
  {
    place: 'backups',
    holds: 'everything above',
    erasure: 'stays',
    age: 'as long as the operator keeps them',
  },
];
