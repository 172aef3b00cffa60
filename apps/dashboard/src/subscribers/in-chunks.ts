export interface ChunkProgress {
  done: number;
  changed: number;
}

/**
 * Carries out a change over many records in parts, one after the other. What is done stays done if a part fails or it is
 * stopped; it continues from `from`.
 * @param change of one part. @returns how many of its records were changed
 * @param report after each part
 * @param isStopped is asked before each part
 * @returns how far it came; it rejects with the failure of a part
 */
export async function inChunks<R>(
  records: readonly R[],
  size: number,
  change: (part: R[]) => Promise<number>,
  { from, report, isStopped }: { from: ChunkProgress; report: (now: ChunkProgress) => void; isStopped: () => boolean },
): Promise<ChunkProgress> {
  let now = from;
  while (now.done < records.length && !isStopped()) {
    const part = records.slice(now.done, now.done + size);
    const changed = await change(part);
    now = { done: now.done + part.length, changed: now.changed + changed };
    report(now);
  }
  return now;
}
