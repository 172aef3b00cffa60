import { runProcess } from '#process';

// Everything else is loaded by it, once it hears SIGTERM.
await runProcess(() => import('./boot.js'));
