import type { DocPage } from './doc-page.js';
import { campaignPages } from './pages/campaign-pages.js';
import { referencePages } from './pages/reference-pages.js';
import { writingPages } from './pages/writing-pages.js';

/** Every page by its slug, in the order of the catalogue; each skill type but docs is the slug of one. */
export const skillPages: ReadonlyMap<string, DocPage> = new Map(
  [...campaignPages, ...writingPages, ...referencePages].map((one) => [one.slug, one]),
);
