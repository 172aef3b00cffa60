import { createHash } from 'node:crypto';

/** The part of the language of graphs that the simulation speaks. */
export interface SimStep {
  id: string;
  type: string;
  config: {
    hours?: number;
    tag?: string;
    by?: 'event' | 'filters';
    timeoutHours?: number;
    branches?: { name: string; weight: number }[];
    stepId?: string;
    add?: boolean;
  };
}
export interface SimEdge {
  source: string;
  target: string;
  branch?: string;
}
export interface SimGraph {
  steps: SimStep[];
  edges: SimEdge[];
  /** A tag whose coming ends runs, and by what it is noticed. */
  exit: { tag: string; by: 'event' | 'filters' } | null;
  /** A tag whose coming is a success. */
  success: string | null;
}

/** A tag added to the subscriber some minutes after the start. */
export interface Stimulus {
  minute: number;
  tag: string;
}

/** The history of a run. */
export interface Timeline {
  lines: string[];
  state: string;
  tags: string[];
  mails: number;
}

const stepsMax = 1_000;

/** Reads a graph the plain way, one run at a time, with time as a number of minutes: what the engine must come to as well. */
export class Reference {
  readonly #lines: string[] = [];
  readonly #tags = new Set<string>();
  #mails = 0;
  #now = 0;
  #steps = 0;
  #state = 'ACTIVE';
  #at = '';
  /** Minute of the timer; null while nothing is waited for, infinite without a timer. */
  #until: number | null = null;
  #succeeded = false;

  constructor(
    private readonly graph: SimGraph,
    private readonly ids: { workflowId: string; subscriberId: string },
  ) {}

  /** @param horizon the minute at which the simulation ends */
  course(stimuli: readonly Stimulus[], horizon: number): Timeline {
    this.#enter('start');
    const left = [...stimuli].sort((a, b) => a.minute - b.minute);
    while (this.#state === 'WAITING' || left.length > 0) {
      const timer = this.#state === 'WAITING' ? this.#until! : Infinity;
      const next = Math.min(timer, left[0]?.minute ?? Infinity);
      if (next > horizon) break;
      this.#now = next;
      if (left[0]?.minute === next) this.#occur(left.shift()!.tag);
      else this.#expire();
    }
    return { lines: this.#lines, state: this.#state, tags: [...this.#tags].sort(), mails: this.#mails };
  }

  #step(id: string): SimStep {
    return this.graph.steps.find((step) => step.id === id)!;
  }

  #say(id: string, outcome: string): void {
    this.#lines.push(`${id}:${outcome}`);
  }

  #end(state: string): void {
    this.#state = state;
    this.#until = null;
  }

  #follow(id: string, branch?: string): void {
    const edge = this.graph.edges.find((one) => one.source === id && one.branch === branch);
    if (edge) this.#enter(edge.target);
    else this.#end('COMPLETED');
  }

  #leave(outcome: string, branch?: string): void {
    this.#say(this.#at, outcome);
    this.#follow(this.#at, branch);
  }

  #wait(minutes: number): void {
    this.#say(this.#at, 'WAITING');
    this.#state = 'WAITING';
    this.#steps = 0;
    this.#until = this.#now + minutes;
  }

  #expire(): void {
    if (this.#step(this.#at).type === 'WAIT') this.#leave('DONE');
    else this.#leave('TIMEOUT', 'TIMEOUT');
  }

  /** Tags first change the person; then what looks for the event, then what looks at the person. */
  #occur(tag: string): void {
    const isNew = !this.#tags.has(tag);
    this.#tags.add(tag);
    if (this.#state !== 'WAITING' || !isNew) return;
    const { exit, success } = this.graph;
    if (success === tag && !this.#succeeded) {
      this.#succeeded = true;
      this.#say(this.#at, 'GOAL_MET');
    }
    if (exit?.tag === tag && exit.by === 'event') return this.#cancel();
    const goal = this.graph.steps.find(
      (step) => step.type === 'GOAL' && step.config.tag === tag && this.#isUpstream(step.id),
    );
    const here = this.#step(this.#at);
    if (goal) {
      this.#say(this.#at, 'JUMPED');
      this.#enter(goal.id);
    } else if (here.type === 'WAIT_UNTIL' && here.config.by === 'event' && here.config.tag === tag) {
      this.#leave('MATCHED', 'MATCHED');
    }
    this.#look();
  }

  #look(): void {
    if (this.#state !== 'WAITING') return;
    const { exit } = this.graph;
    if (exit?.by === 'filters' && this.#tags.has(exit.tag)) return this.#cancel();
    const { type, config } = this.#step(this.#at);
    if (type === 'WAIT_UNTIL' && config.by === 'filters' && this.#tags.has(config.tag!))
      this.#leave('MATCHED', 'MATCHED');
  }

  #cancel(): void {
    this.#say(this.#at, 'CANCELED');
    this.#end('CANCELED');
  }

  #isUpstream(goal: string): boolean {
    const seen = new Set<string>();
    const reaches = (id: string): boolean => {
      if (seen.has(id)) return false;
      seen.add(id);
      const moved = this.#step(id).config.stepId;
      const next = this.graph.edges.filter(({ source }) => source === id).map(({ target }) => target);
      return [...next, ...(moved ? [moved] : [])].some((to) => to === goal || reaches(to));
    };
    return reaches(this.#at);
  }

  #enter(id: string): void {
    this.#at = id;
    this.#state = 'ACTIVE';
    this.#until = null;
    this.#steps += 1;
    if (this.#steps > stepsMax) {
      this.#say(id, 'FAILED');
      return this.#end('FAILED');
    }
    const { type, config } = this.#step(id);
    switch (type) {
      case 'TRIGGER':
        return this.#leave('STARTED');
      case 'GOAL':
        return this.#leave('PASSED');
      case 'EMAIL':
        this.#mails += 1;
        return this.#leave('SENT');
      case 'ACTION':
        if (config.add) this.#tags.add(config.tag!);
        else this.#tags.delete(config.tag!);
        return this.#leave('DONE');
      case 'CONDITION': {
        const branch = this.#tags.has(config.tag!) ? 'TRUE' : 'FALSE';
        return this.#leave(branch, branch);
      }
      case 'SPLIT': {
        const branch = this.#split(id, config.branches!);
        return this.#leave(branch, branch);
      }
      case 'MOVE_TO_STEP':
        this.#say(id, 'MOVED');
        return this.#enter(config.stepId!);
      case 'EXIT':
        this.#say(id, 'EXITED');
        return this.#end('COMPLETED');
      case 'WAIT':
        return this.#wait(config.hours! * 60);
      default:
        if (config.by === 'filters' && this.#tags.has(config.tag!)) return this.#leave('MATCHED', 'MATCHED');
        return this.#wait(config.timeoutHours! * 60);
    }
  }

  /** The first 48 bits of a hash, as a share of all weights. */
  #split(stepId: string, branches: { name: string; weight: number }[]): string {
    const { workflowId, subscriberId } = this.ids;
    const digest = createHash('sha256').update(`${workflowId} ${stepId} ${subscriberId}`).digest('hex');
    const total = branches.reduce((sum, { weight }) => sum + weight, 0);
    const point = (Number.parseInt(digest.slice(0, 12), 16) / 2 ** 48) * total;
    let passed = 0;
    for (const { name, weight } of branches) {
      passed += weight;
      if (point < passed) return name;
    }
    return branches.at(-1)!.name;
  }
}
