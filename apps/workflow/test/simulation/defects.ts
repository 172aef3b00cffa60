import { CompiledVersion } from '../../src/rules/compiled-version.js';

/** A mistake in the engine, planted where its work passes: in its statements, its requests, its transactions or its rules. */
export interface Defect {
  statement?: (text: string) => string;
  request?: (input: unknown) => unknown;
  /** Transactions whose statements are each committed by themselves. */
  torn?: boolean;
  /** Changes a rule. @returns what takes the change back */
  plant?: () => () => void;
}

const replaced = (find: string, plant: string) => {
  let seen = 0;
  const statement = (text: string) => {
    if (text.includes(find)) seen += 1;
    return text.replace(find, plant);
  };
  /** @throws Error when no statement contained `find`: the defect must then be adapted to the engine */
  const plantDefect = () => () => {
    if (seen === 0) throw new Error(`no statement says ${JSON.stringify(find)}`);
  };
  return { statement, plant: plantDefect };
};

let tries = 0;
/** An effect's name that is another one at each try. */
function renamed(input: unknown): unknown {
  const name = (one: object) => {
    const effect = one as { callId?: string; sourceKey?: string };
    tries += 1;
    return {
      ...effect,
      ...(effect.callId && { callId: `${effect.callId}#${tries}` }),
      ...(effect.sourceKey && { sourceKey: `${effect.sourceKey}#${tries}` }),
    };
  };
  const { subjects, messages, ...rest } = input as { subjects?: object[]; messages?: object[] };
  return {
    ...rest,
    ...(subjects && { subjects: subjects.map(name) }),
    ...(messages && { messages: messages.map(name) }),
  };
}

export const defects: Record<string, Defect> = {
  'a decision is recorded whoever holds the run': replaced('where r.fence = u.fence and ', 'where '),
  'a lease has no end': replaced(
    `next_action_at = case when c.live then clock_timestamp() + make_interval(secs => $4) end`,
    `next_action_at = case when $4::float8 < 0 then clock_timestamp() end`,
  ),
  'who was enrolled is forgotten': replaced('from enrolled_once e where', 'from enrolled_once e where false and'),
  'a transaction is committed piece by piece': { torn: true },
  'an effect has another name at each try': { request: renamed },
  'a timeout follows the way of a match': {
    plant: () => {
      const { next } = CompiledVersion.prototype;
      CompiledVersion.prototype.next = function (id, branch) {
        return next.call(this, id, branch === 'TIMEOUT' ? 'MATCHED' : branch);
      };
      return () => (CompiledVersion.prototype.next = next);
    },
  },
};
