export interface Running {
  stop(): Promise<void>;
  /** Facts for the supervisor once the process is up. */
  facts?: Record<string, unknown>;
  /** It has done all it was started for, and the process ends. */
  isDone?: boolean;
}
