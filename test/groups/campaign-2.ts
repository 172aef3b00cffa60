import { loadGroup } from './load-group.js';

await loadGroup('campaign', 2);
