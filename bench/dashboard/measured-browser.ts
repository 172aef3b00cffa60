/** Milliseconds of one measure, in the order they were taken. */
export type Times = number[];

/** What watching a campaign costs: milliseconds of each interaction, and calls of the page a minute. */
export interface Watched {
  interactions: Times;
  callsPerMinute: number;
  seconds: number;
}

/** Megabytes at most during one part of an import: heap of the page, and own memory of all processes of the browser. */
export interface Memory {
  heap: number;
  resident: number;
  seconds: number;
}
export type ImportPhases = Record<'before' | 'upload' | 'check' | 'import' | 'after', Memory>;

/** A real Chromium in which the owner is signed in. */
export interface MeasuredBrowser {
  /** Largest contentful paint of home, each time with an empty cache. */
  firstPaints(runs: number): Promise<Times>;
  /** From a click in the navigation to the next screen's paint, where its data and code are there. */
  routeChanges(runs: number): Promise<Times>;
  /** Time to the next paint of keys and clicks in lists, palette and filters. */
  interactions(): Promise<Times>;
  /** From a key in the editor to the change of the preview. */
  keysToPreview(campaignId: string, keys: number): Promise<Times>;
  /** The list of subscribers: from its address to rows; frames a second while it scrolls; megabytes of heap on the way. */
  longList(runs: number): Promise<{ firstRows: Times; framesPerSecond: number; heaps: number[]; rows: number }>;
  /** A workflow from its address to its first steps, by view; milliseconds of each frame while the graph is moved. */
  workflow(workflowId: string, runs: number): Promise<{ graph: Times; outline: Times; frames: Times }>;
  /** Imports a file through the pages. @param rows that it holds */
  importFile(file: string, rows: number): Promise<ImportPhases>;
  /** Calls of the page while nothing changes. */
  idleCalls(seconds: number): Promise<number>;
  /** Megabytes of heap after each round through the screens. */
  longUse(minutes: number): Promise<number[]>;
  /** Watches a campaign until it is SENT, and acts meanwhile. */
  watch(campaignId: string, isSent: () => Promise<boolean>): Promise<Watched>;
  close(): Promise<void>;
}

export interface OpenedAs {
  url: string;
  email: string;
  password: string;
}

/** What `apps/dashboard/test/bench/browser.mjs` exports: it needs playwright-core, which `npm start` does not install. */
export interface BrowserModule {
  openBrowser(as: OpenedAs): Promise<MeasuredBrowser>;
}
