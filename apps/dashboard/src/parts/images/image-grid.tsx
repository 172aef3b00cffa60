import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { imageText } from '../../messages/en/images.js';
import { number } from '../../messages/format.js';
import { Button } from '../../ui/button.js';
import { Skeleton } from '../../ui/states.js';
import { ErrorNotice } from '../error-notice.js';
import { shownAddress } from './hosted-image.js';
import type { HostedImage } from './hosted-image.js';
import type { useImages } from './use-images.js';

const gridClass = 'grid grid-cols-[repeat(auto-fill,minmax(8.5rem,1fr))] gap-3 sm:gap-4';

/**
 * Images as cards; the next page is read when its place comes into view. Cards out of view are not drawn.
 * @param onChoose a card becomes a button that chooses its image
 * @param menuOf what acts on one image
 */
export function ImageGrid({
  list,
  empty,
  onChoose,
  menuOf,
}: {
  list: ReturnType<typeof useImages>;
  empty: ReactNode;
  onChoose?: (image: HostedImage) => void;
  menuOf?: (image: HostedImage) => ReactNode;
}) {
  const { images, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = list;
  if (isPending) return <LoadingGrid />;
  return (
    <div className="flex flex-col gap-4">
      {error && <ErrorNotice error={error} isStale={images.length > 0} onRetry={() => void refetch()} />}
      {images.length === 0 && !error && empty}
      <ul className={gridClass}>
        {images.map((image) => (
          <li
            key={image.id}
            className="group relative flex min-w-0 flex-col overflow-hidden rounded-lg border border-line bg-paper [contain-intrinsic-size:auto_13.5rem] [content-visibility:auto]"
          >
            <Card image={image} {...(onChoose && { onChoose })} menu={menuOf?.(image)} />
          </li>
        ))}
      </ul>
      {hasNextPage && !error && <NextPage isBusy={isFetchingNextPage} onSeen={() => void fetchNextPage()} />}
    </div>
  );
}

function Card({
  image,
  onChoose,
  menu,
}: {
  image: HostedImage;
  onChoose?: (image: HostedImage) => void;
  menu: ReactNode;
}) {
  const { name, description, width, height, bytes } = image;
  const kilobytes = number(Math.max(1, Math.round(bytes / 1024)));
  return (
    <>
      <div className="grid h-32 place-items-center bg-sunk p-2">
        <img
          src={shownAddress(image)}
          alt={description ?? ''}
          loading="lazy"
          decoding="async"
          className="max-h-28 max-w-full object-contain"
        />
      </div>
      <div className="flex min-w-0 flex-1 items-start gap-1 py-2 ps-3 pe-1.5">
        <div className="min-w-0 flex-1 text-sm">
          {onChoose ? (
            <button
              type="button"
              className="block w-full truncate text-start font-medium after:absolute after:inset-0 hover:text-accent focus-visible:-outline-offset-2"
              onClick={() => onChoose(image)}
            >
              {name}
            </button>
          ) : (
            <p className="truncate font-medium" title={name}>
              {name}
            </p>
          )}
          <p className="truncate text-soft tabular">
            {imageText('size', { width: String(width), height: String(height), kilobytes })}
          </p>
          <p className="truncate text-soft" title={description ?? undefined}>
            {description ?? imageText('noAlt')}
          </p>
        </div>
        {menu}
      </div>
    </>
  );
}

function LoadingGrid() {
  return (
    <div role="status" aria-busy="true" aria-label={imageText('loading')} className={gridClass}>
      {Array.from({ length: 12 }, (_, n) => (
        <Skeleton key={n} className="h-53 w-full rounded-lg!" />
      ))}
    </div>
  );
}

/** Reads on once it is seen; the button serves those who come by keys. */
function NextPage({ isBusy, onSeen }: { isBusy: boolean; onSeen: () => void }) {
  const ref = useRef<HTMLDivElement>(null);
  const seenRef = useRef(onSeen);
  useEffect(() => {
    seenRef.current = onSeen;
  }, [onSeen]);
  useEffect(() => {
    if (isBusy || !ref.current) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && seenRef.current(), {
      rootMargin: '200px',
    });
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, [isBusy]);
  return (
    <div ref={ref} className="flex justify-center">
      <Button busy={isBusy} onClick={onSeen}>
        {imageText('more')}
      </Button>
    </div>
  );
}
