export interface WorkItem {
  size: number;
  /** Does the work. @returns slow remaining work, which runs detached and occupies no slot */
  work(): Promise<WorkItem[]>;
}

/** Claims work and does all of it, one item after the other. @returns the number of records */
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

export const done = (size: number): WorkItem[] => (size > 0 ? [{ size, work: () => Promise.resolve([]) }] : []);
