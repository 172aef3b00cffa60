import * as z from 'zod/mini';
import { useScreenSearch } from '../screen-search.js';
import type { PersonChoice } from './preview-person.js';

const searchPart = z.object({ as: z.optional(z.string().check(z.maxLength(320))) });

/** The subscriber whose copy the preview shows, in the address. */
export function usePreviewPerson(): PersonChoice {
  const [{ as }, setSearch] = useScreenSearch(searchPart);
  return {
    subscriberId: as,
    onChange: (subscriberId) => setSearch({ as: subscriberId }, { replace: true }),
  };
}
