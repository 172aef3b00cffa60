/**
 * The entries that follow from one row a message for campaigns whose messages have ids by position. All others are lines
 * of `subscriber_event`, also those of the same types for other mail.
 */
const derivedTypes: readonly string[] = ['EMAIL_SENT', 'EMAIL_RECEIVED'];

/** The relations that hold entries of the types, with equal columns; an empty list or null stands for all types. */
export function historyTables(types: readonly string[] | null): string[] {
  const isDerived = !types?.length || types.some((type) => derivedTypes.includes(type));
  return isDerived ? ['subscriber_event', 'campaign_mail_event'] : ['subscriber_event'];
}

/**
 * SQL: the rows of the relations that hold entries of the types. Each relation is limited before they are merged.
 * @param rest conditions, order and limit
 */
export const historyRows = (columns: string, types: readonly string[] | null, rest: string): string =>
  historyTables(types)
    .map((table) => `(select ${columns} from ${table} e ${rest})`)
    .join(' union all ');
