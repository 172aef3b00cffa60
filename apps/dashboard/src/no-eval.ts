// zod reads this before its first schema: else it tries `new Function`, which the policy of the pages reports.
(globalThis as { __zod_globalConfig?: object }).__zod_globalConfig = { jitless: true };

export {};
