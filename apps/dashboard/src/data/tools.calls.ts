import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { InfiniteData, UseInfiniteQueryOptions } from '@tanstack/react-query';
import type { ToolData, ToolInput, ToolName } from '#client';
import { callTool } from './call-tool.js';
import type { ToolCallOptions } from './call-tool.js';
import { currentOrganization } from './session.js';

/** The key of a read: the organization, the tool, its input. */
export const toolKey = (tool: ToolName, input?: object) =>
  input === undefined ? ([currentOrganization(), tool] as const) : ([currentOrganization(), tool, input] as const);

function read<T extends ToolName>(tool: T, input: ToolInput<T>) {
  const organization = currentOrganization();
  return queryOptions({
    queryKey: toolKey(tool, input),
    queryFn: ({ signal }): Promise<ToolData<T>> => callTool(tool, input, { signal, organization }),
    placeholderData: keepPreviousData,
  });
}

/** Pages that a list holds at once; those far from the view are dropped, and read again on the way back. */
const pagesHeld = 50;

/** One page of a list: its cursor, how many pages come before it, and the way back to them. */
export interface PageParam {
  /** '' for the first page. */
  cursor: string;
  place: number;
  previous?: PageParam;
}

export const firstPage: PageParam = { cursor: '', place: 0 };

/** The page after one. @returns undefined after the last */
const pageAfter = (nextCursor: string | null, previous: PageParam): PageParam | undefined =>
  nextCursor === null ? undefined : { cursor: nextCursor, place: previous.place + 1, previous };

function readPages<T extends PagedTool>(tool: T, input: Omit<ToolInput<T>, 'cursor'>) {
  const organization = currentOrganization();
  return infiniteQueryOptions({
    queryKey: [...toolKey(tool, input), 'pages'] as const,
    queryFn: ({ signal, pageParam: { cursor } }): Promise<ToolData<T>> =>
      callTool(tool, { ...input, ...(cursor !== '' && { cursor }) }, { signal, organization }),
    initialPageParam: firstPage,
    getNextPageParam: (last, _pages, page) => pageAfter((last as { nextCursor: string | null }).nextCursor, page),
    getPreviousPageParam: (_first, _pages, { previous }) => previous,
    maxPages: pagesHeld,
    placeholderData: keepPreviousData,
  });
}

export type PagedTool = {
  [T in ToolName]: ToolData<T> extends { nextCursor: string | null } ? T : never;
}[ToolName];

/** A list by cursor; `D` is what one page holds. */
export type PageQuery<D> = UseInfiniteQueryOptions<D, Error, InfiniteData<D, PageParam>, readonly unknown[], PageParam>;

type Queries = { [T in ToolName]: (input: ToolInput<T>) => ReturnType<typeof read<T>> };
type PageQueries = { [T in PagedTool]: (input: Omit<ToolInput<T>, 'cursor'>) => PageQuery<ToolData<T>> };
type Actions = { [T in ToolName]: (options?: ActionOptions) => Action<T> };

/** How an action asks for confirmation, and which updatedAt its record must still have. */
export type ActionOptions = Omit<ToolCallOptions, 'idempotencyKey' | 'signal'>;

export interface Action<T extends ToolName> {
  tool: T;
  options: ActionOptions;
}

/** A read by its wire name, for `useQuery`: `useQuery(queries.list_tags({}))`. */
export const queries = new Proxy({} as Queries, {
  get: (_target, tool) => (input: never) => read(tool as ToolName, input),
});

/** A list by cursor, for `useRecords`: `pages.search_subscribers({ status: 'SUBSCRIBED' })`. */
export const pages = new Proxy({} as PageQueries, {
  get: (_target, tool) => (input: never) => readPages(tool as PagedTool, input),
});

/** A write by its wire name, for `useAction`: `useAction(actions.create_tag())`. */
export const actions = new Proxy({} as Actions, {
  get:
    (_target, tool) =>
    (options: ActionOptions = {}) => ({ tool: tool as ToolName, options }),
});
