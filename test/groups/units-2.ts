import { loadGroup } from './load-group.js';

await loadGroup('units', 2);
