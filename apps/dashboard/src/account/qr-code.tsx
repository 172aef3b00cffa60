import { encode } from 'uqr';

/** Modules of the quiet zone around a code (ISO/IEC 18004, section 5.3.8). */
const border = 4;

/** A QR code, dark on light in any scheme: cameras read no other. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-44 shrink-0 rounded-md border border-line"
      style={{ backgroundColor: 'white' }}
    >
      <path d={path} fill="black" />
    </svg>
  );
}
