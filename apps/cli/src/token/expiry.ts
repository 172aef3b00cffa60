const msOf = { h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** The instant at the end of a span such as 12h, 90d or 4w. @returns null for any other text */
export function expiryAfter(span: string, now: Date): Date | null {
  const match = /^([1-9]\d{0,4})([hdw])$/.exec(span);
  return match ? new Date(now.getTime() + Number(match[1]) * msOf[match[2] as keyof typeof msOf]) : null;
}
