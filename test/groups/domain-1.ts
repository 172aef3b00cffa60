import { loadGroup } from './load-group.js';

await loadGroup('domain', 1);
