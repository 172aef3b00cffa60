import type { CatalogueEntry } from '#contracts';
import { timestamp } from '#contracts';
import { summarise, ToolError } from '#tool-call';

/**
 * Reads the updatedAt that a record must still have: an If-Match header with one strong entity tag (RFC 9110, sections
 * 8.8.3 and 13.1.1), or `_meta["tidings/ifMatch"]`, with or without quotes. Undefined without one.
 * @throws ToolError PARAMETERS_INVALID for another value, and for a tool that does not check it
 */
export function readIfMatch(given: unknown, { name, contract }: CatalogueEntry): string | undefined {
  if (given === undefined) return undefined;
  const refuse = (message: string) => {
    const issues = [{ path: ['If-Match'], message }];
    return new ToolError('PARAMETERS_INVALID', { summary: summarise(issues) }, { issues });
  };
  const value = typeof given === 'string' ? given.trim().replace(/^"(.*)"$/, '$1') : '';
  if (!timestamp.safeParse(value).success)
    throw refuse('must be the updatedAt of a fresh read, such as "2026-05-01T09:30:00.000Z"');
  if (!contract.locks)
    throw refuse(
      `is not supported by ${name}, which changes no single record with updatedAt, or takes expectedUpdatedAt`,
    );
  return value;
}
