import { loadGroup } from './load-group.js';

await loadGroup('operator', 1);
