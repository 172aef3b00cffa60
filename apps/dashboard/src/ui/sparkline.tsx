const width = 200;
const height = 36;

/** A small line without axes, for the course of a number; `label` says it in words. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const min = Math.min(...values, 0);
  const span = Math.max(...values, 1) - min || 1;
  const step = width / Math.max(1, values.length - 1);
  const points = values.map(
    (value, place) => `${round(place * step)} ${round(2 + (1 - (value - min) / span) * (height - 4))}`,
  );
  if (points.length < 2) return <div className="h-9" />;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className="block h-9 w-full text-accent"
    >
      <path d={`M${points.join('L')}L${width} ${height}L0 ${height}Z`} className="fill-accent-soft" />
      <path
        d={`M${points.join('L')}`}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        vectorEffect="non-scaling-stroke"
        strokeLinejoin="round"
      />
    </svg>
  );
}

const round = (value: number): number => Math.round(value * 10) / 10;
