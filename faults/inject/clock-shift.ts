/**
 * Loaded before everything else of a process: its clock is wrong by CLOCK_SHIFT_MS from then on, or steps at each SIGUSR2
 * through CLOCK_STEPS_MS and then back to the right time.
 */
let shiftMs = Number(process.env.CLOCK_SHIFT_MS ?? 0);
const steps = (process.env.CLOCK_STEPS_MS ?? '').split(',').filter(Boolean).map(Number);
if (steps.length > 0) process.on('SIGUSR2', () => (shiftMs = steps.shift() ?? 0));
const rightNow = Date.now.bind(Date);

Date.now = () => rightNow() + shiftMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, parts: unknown[], asked) =>
    Reflect.construct(target, parts.length === 0 ? [Date.now()] : parts, asked) as Date,
});

export {};
