import { useQuery } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useState } from 'react';
import type { KeyboardEvent, RefObject } from 'react';
import { currentMembership } from '../../data/session.js';
import { queries } from '../../data/tools.calls.js';
import { paletteText } from '../../messages/en/palette.js';
import { ErrorNotice } from '../../parts/error-notice.js';
import { mayAct } from '../../parts/own-role.js';
import { useGo } from '../../parts/screen-link.js';
import { useSettled } from '../../parts/use-settled.js';
import { classNames } from '../../ui/class-names.js';
import { Icon } from '../../ui/icon.js';
import { screens } from '../screens.js';
import { isOffered } from '../sidebar.js';
import { pageActions, pressFirstButton } from './page-actions.js';
import { paletteResults } from './palette-results.js';
import type { PaletteResult } from './palette-results.js';
import { toolsOf } from './palette-tools.js';
import type { PaletteTool } from './palette-tools.js';

/** What fits the text of the palette. @param press gets what handles the keys of the field */
export function PaletteList({
  query,
  press,
  onActive,
  onClose,
  onTool,
}: {
  query: string;
  press: RefObject<((event: KeyboardEvent) => void) | null>;
  /** Gets the id of the option that Enter takes. */
  onActive: (id: string | undefined) => void;
  onClose: () => void;
  onTool: (tool: PaletteTool) => void;
}) {
  const go = useGo();
  // By key rather than by place: what arrives later must not slip under Enter.
  const [chosen, setChosen] = useState<{ key: string | null; query: string }>({ key: null, query });
  const { results, tools } = useResults(query);
  const found = chosen.query === query ? results.findIndex(({ key }) => key === chosen.key) : 0;
  const active = Math.max(0, found);
  const choose = (key: string | undefined) => setChosen({ key: key ?? null, query });
  const move = (by: number) => choose(results[(active + by + results.length) % results.length]?.key);
  const take = (result: PaletteResult | undefined) => {
    if (result?.tool) return onTool(result.tool);
    if (!result?.target) return;
    onClose();
    if (result.isAction) pressFirstButton(result.target);
    go(result.target);
  };
  useLayoutEffect(() => {
    press.current = (event) => {
      if (event.key === 'ArrowDown') move(1);
      else if (event.key === 'ArrowUp') move(-1);
      else if (event.key === 'Enter') take(results[active]);
      else return;
      event.preventDefault();
    };
  });
  const activeId = results[active] && `palette-${active}`;
  useEffect(() => onActive(activeId), [activeId, onActive]);
  return (
    <>
      <ul
        id="palette-results"
        role="listbox"
        aria-label={paletteText('title')}
        className="max-h-[50dvh] overflow-auto p-2"
      >
        {results.map((result, place) => (
          <li
            key={result.key}
            id={`palette-${place}`}
            role="option"
            aria-selected={place === active}
            onPointerMove={() => choose(result.key)}
            onClick={() => take(result)}
            className={classNames(
              'flex min-h-9 cursor-pointer items-center gap-2.5 rounded-md px-2.5',
              place === active && 'bg-sunk',
            )}
          >
            <Icon name={result.icon} className="shrink-0 text-soft" />
            <span className={classNames('shrink-0', result.tool && 'font-mono text-sm')}>{result.text}</span>
            <span className="min-w-0 flex-1 truncate text-sm text-soft">{result.detail}</span>
            <span className="text-xs text-soft">{paletteText(result.group)}</span>
          </li>
        ))}
        {results.length === 0 && (
          <li role="option" aria-disabled="true" aria-selected="false" className="px-2.5 py-2 text-soft">
            {tools.isPending ? paletteText('loading') : paletteText('nothing', { query })}
          </li>
        )}
      </ul>
      {tools.error && (
        <div className="p-2 pt-0">
          <ErrorNotice error={tools.error} onRetry={() => void tools.refetch()} />
        </div>
      )}
    </>
  );
}

/** Pages at once; tools once the contracts are loaded; records once typing pauses. */
function useResults(query: string) {
  const role = currentMembership()?.role ?? 'viewer';
  const tools = useQuery({
    queryKey: [null, 'palette tools', role],
    queryFn: () => toolsOf(role),
    staleTime: Infinity,
    // A file that did not arrive is asked for again.
    retry: 3,
  });
  const settled = useSettled(query, 200);
  const isSearching = settled.length >= 2;
  const people = useQuery({
    ...queries.search_subscribers({ query: settled, status: 'ALL', limit: 4 }),
    enabled: isSearching && isOffered('subscriber'),
  });
  const campaigns = useQuery({
    ...queries.search_campaigns({ query: settled, limit: 4 }),
    enabled: isSearching && isOffered('campaign'),
  });
  const records: PaletteResult[] = [
    ...(people.data?.subscribers ?? []).map(({ id, email, name }) => ({
      key: id,
      group: 'records' as const,
      icon: 'user' as const,
      text: email,
      ...(name !== null && { detail: name }),
      target: { screen: 'subscriber' as const, params: { subscriberId: id } },
    })),
    ...(campaigns.data?.campaigns ?? []).map(({ id, name, subject }) => ({
      key: id,
      group: 'records' as const,
      icon: 'mail' as const,
      text: name,
      detail: subject,
      target: { screen: 'campaign' as const, params: { campaignId: id } },
    })),
  ];
  const offered = screens.map(({ name }) => name).filter(isOffered);
  const makes = pageActions().filter((one) => isOffered(one.screen) && mayAct(one.role));
  const [pages, rest] = split(paletteResults(query, offered, makes, tools.data ?? []));
  return { tools, results: [...pages, ...(isSearching && query.length >= 2 ? records : []), ...rest] };
}

const split = (results: PaletteResult[]): [PaletteResult[], PaletteResult[]] => [
  results.filter(({ group }) => group !== 'tools'),
  results.filter(({ group }) => group === 'tools'),
];
