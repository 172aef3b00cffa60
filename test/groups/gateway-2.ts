import { loadGroup } from './load-group.js';

await loadGroup('gateway', 2);
