import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { ToolData } from '#client';
import { callTool } from '../../data/call-tool.js';
import { currentOrganization } from '../../data/session.js';
import { toolKey } from '../../data/tools.calls.js';
import type { HostedImage } from './hosted-image.js';

const pageSize = 60;

/** Hosted images, newest first, page by page. @returns `total` of all that fit the query */
export function useImages(query: string) {
  const organization = currentOrganization();
  const input = { pageSize, ...(query !== '' && { query }) };
  const list = useInfiniteQuery(
    infiniteQueryOptions({
      queryKey: [...toolKey('list_images', input), 'pages'] as const,
      queryFn: ({ signal, pageParam: page }): Promise<ToolData<'list_images'>> =>
        callTool('list_images', { ...input, page }, { signal, organization }),
      initialPageParam: 1,
      getNextPageParam: ({ page, pageCount }) => (page < pageCount ? page + 1 : undefined),
      placeholderData: keepPreviousData,
    }),
  );
  // An upload meanwhile moves images to the next page, where they are read again.
  const byId = new Map<string, HostedImage>();
  for (const { images } of list.data?.pages ?? []) for (const image of images) byId.set(image.id, image);
  return { ...list, images: [...byId.values()], total: list.data?.pages[0]?.total ?? 0 };
}
