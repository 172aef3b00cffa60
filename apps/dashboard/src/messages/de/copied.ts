import type { Catalogue } from '../catalogue.js';

export const copied: Catalogue['copied'] = { copy: '{what} kopieren' };
