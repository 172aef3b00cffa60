import { runProcess } from '#process';

// boot.js loads all other modules, once SIGTERM is handled.
await runProcess(() => import('./boot.js'));
