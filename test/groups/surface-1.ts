import { loadGroup } from './load-group.js';

await loadGroup('surface', 1);
