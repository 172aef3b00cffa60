import { useQuery } from '@tanstack/react-query';
import { queries } from '../data/tools.calls.js';
import { auditText } from '../messages/en/audit.js';
import { DayField } from '../parts/day-field.js';
import { SearchField } from '../parts/search-field.js';
import { Button } from '../ui/button.js';
import { Choice } from '../ui/field.js';
import type { AuditSearch } from './audit-search.js';

const sources = ['tools', 'v1', 'mcp', 'session'] as const;

/** The filters of the log; each stands in the address. */
export function AuditFilters({
  search,
  onChange,
  onClear,
}: {
  search: AuditSearch;
  onChange: (change: Partial<AuditSearch>, options?: { replace?: boolean }) => void;
  onClear?: () => void;
}) {
  const { data: people } = useQuery(queries.list_members({}));
  const { data: programs } = useQuery(queries.list_api_tokens({ includeEnded: true }));
  const actors = [...(people?.members ?? []), ...(programs?.tokens ?? [])].map(({ id, name }) => ({
    value: id,
    label: name,
  }));
  const { actor } = search;
  // Former members and the operator's command stand in old entries.
  if (actor && !actors.some(({ value }) => value === actor)) actors.push({ value: actor, label: actor });
  return (
    <div className="flex flex-wrap items-center gap-2 pb-3">
      <SearchField
        label={auditText('toolHint')}
        value={search.tool ?? ''}
        onChange={(tool) => onChange({ tool: tool || undefined }, { replace: true })}
        className="w-full sm:w-60"
      />
      <Choice
        aria-label={auditText('actor')}
        value={actor ?? ''}
        onChange={({ target }) => onChange({ actor: target.value || undefined })}
        options={[{ value: '', label: auditText('anyone') }, ...actors]}
        className="w-[calc(50%-0.25rem)] sm:w-44"
      />
      <Choice
        aria-label={auditText('source')}
        value={search.source ?? ''}
        onChange={({ target }) => onChange({ source: (target.value || undefined) as AuditSearch['source'] })}
        options={[
          { value: '', label: auditText('sources') },
          ...sources.map((value) => ({ value, label: auditText(`source.${value}`) })),
        ]}
        className="w-[calc(50%-0.25rem)] sm:w-36"
      />
      {(['from', 'to'] as const).map((key) => (
        <DayField
          key={key}
          label={auditText(key)}
          value={search[key]}
          onChange={(day) => onChange({ [key]: day }, { replace: true })}
        />
      ))}
      {onClear && (
        <Button small look="quiet" onClick={onClear}>
          {auditText('clear')}
        </Button>
      )}
    </div>
  );
}
