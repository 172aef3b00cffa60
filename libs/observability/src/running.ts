/** Something that runs until it is stopped. */
export interface Running {
  /** Finishes what is under way and lets everything go. */
  stop(): Promise<void>;
  /** What the supervisor is told when it is up. */
  facts?: Record<string, unknown>;
  /** It has done all it was started for, and the process ends. */
  isDone?: boolean;
}
