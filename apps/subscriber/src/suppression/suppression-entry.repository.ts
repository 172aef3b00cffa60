/*
 * Suppression entries of addresses. They outlive their subscriber and are kept by a keyed hash of the address.
 */

/** SQL: the status of the mark `m` of an address, else another one. */
export const markedOr = (status: string) =>
  `case when m.banned_at is not null then 'BANNED' when m.complained_at is not null then 'COMPLAINED'
    when m.hard_bounced_at is not null then 'BOUNCED' else ${status} end`;

/**
 * SQL: stores the suppressions of subscriber $2, and whether it had unsubscribed, with the hash $3 of the address. Of
 * two entries of one kind the newer one stays; a later subscription undoes an unsubscription.
 */
export const keepMarks = `insert into address_mark as m (organization_id, address_hash, banned_at, hard_bounced_at, complained_at, unsubscribed_at)
  select $1, $3, banned_at, coalesce(hard_bounced_at, case status when 'BOUNCED' then status_at end),
    coalesce(complained_at, case status when 'COMPLAINED' then status_at end),
    case when status = 'UNSUBSCRIBED' or status_before_ban = 'UNSUBSCRIBED' then status_at end
  from subscriber where organization_id = $1 and subscriber_id = $2
  on conflict (organization_id, address_hash) do update set banned_at = greatest(m.banned_at, excluded.banned_at),
    hard_bounced_at = greatest(m.hard_bounced_at, excluded.hard_bounced_at),
    complained_at = greatest(m.complained_at, excluded.complained_at), unsubscribed_at = excluded.unsubscribed_at`;

/** SQL: deletes the entry of the address with hash $2 when it holds no reason any more. */
export const dropEmptyMark = `delete from address_mark where organization_id = $1 and address_hash = $2
  and coalesce(banned_at, hard_bounced_at, complained_at, unsubscribed_at) is null`;
