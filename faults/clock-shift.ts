/** Loaded before everything else of a process: its clock is wrong by CLOCK_SHIFT_MS from then on. */
const shiftMs = Number(process.env.CLOCK_SHIFT_MS);
const rightNow = Date.now.bind(Date);

Date.now = () => rightNow() + shiftMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, parts: unknown[], asked) =>
    Reflect.construct(target, parts.length === 0 ? [Date.now()] : parts, asked) as Date,
});

export {};
