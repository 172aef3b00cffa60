import { loadGroup } from './load-group.js';

await loadGroup('workflow', 2);
