import { loadGroup } from './load-group.js';

await loadGroup('subscriber', 1);
