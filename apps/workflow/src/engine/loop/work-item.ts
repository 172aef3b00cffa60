/** A part of what was claimed, worked on by itself. */
export interface WorkItem {
  /** How much it is. */
  size: number;
  /** Does the work. @returns what is left of it that may take long: the lane is not kept for that */
  work(): Promise<WorkItem[]>;
}

/** Claims work and does all of it, one batch after the other. @returns how much that was */
export async function drain(claim: () => Promise<WorkItem[]>): Promise<number> {
  let size = 0;
  for (let batches = await claim(); batches.length > 0;) {
    const left: WorkItem[] = [];
    for (const batch of batches) {
      size += batch.size;
      left.push(...(await batch.work()));
    }
    batches = left;
  }
  return size;
}

/** Work that is done while it is claimed. */
export const done = (size: number): WorkItem[] => (size > 0 ? [{ size, work: () => Promise.resolve([]) }] : []);
