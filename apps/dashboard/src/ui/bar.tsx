/** A share between 0 and 1 as a bar; the number stands beside it as text. */
export function Bar({ share, label }: { share: number; label: string }) {
  const width = Math.max(0, Math.min(1, share)) * 100;
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(width)}
      className="h-1.5 overflow-hidden rounded-full bg-sunk"
    >
      <div className="h-full rounded-full bg-accent transition-[width]" style={{ width: `${width}%` }} />
    </div>
  );
}
