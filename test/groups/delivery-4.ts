import { loadGroup } from './load-group.js';

await loadGroup('delivery', 4);
