import type { GivenDraft } from '../../src/rules/draft/draft.js';
import type { SimGraph, SimStep } from './reference-model.js';

type TagIds = ReadonlyMap<string, string>;
const tagged = (id: string) => ({ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagIds: [id] });
const added = (id: string) => ({ kind: 'TAG_ADDED', tags: [id] });

/** A step's configuration in the language of the API. */
function configOf({ type, config }: SimStep, startTag: string, tagIds: TagIds): object {
  const { hours, by, timeoutHours, branches, stepId, add } = config;
  const tag = tagIds.get(config.tag ?? '') ?? '';
  switch (type) {
    case 'TRIGGER':
      return added(startTag);
    case 'EMAIL':
      return { subject: 'Hello', contentType: 'MARKDOWN', content: 'Hello' };
    case 'WAIT':
      return { amount: hours, unit: 'HOURS' };
    case 'CONDITION':
      return { filters: [tagged(tag)] };
    case 'SPLIT':
      return { branches };
    case 'ACTION':
      return { kind: add ? 'ADD_TAGS' : 'REMOVE_TAGS', tags: [tag] };
    case 'GOAL':
      return { event: added(tag) };
    case 'MOVE_TO_STEP':
      return { stepId };
    case 'WAIT_UNTIL':
      return {
        ...(by === 'event' ? { event: added(tag) } : { filters: [tagged(tag)] }),
        timeout: timeoutHours! * 3_600,
      };
    default:
      return {};
  }
}

/** A random graph as an author would give it. @param startTag the tag that starts it */
export function givenGraph({ steps, edges, exit, success }: SimGraph, startTag: string, tagIds: TagIds): GivenDraft {
  const rule = (tag: string) => (exit!.by === 'event' ? { event: added(tag) } : { filters: [tagged(tag)] });
  return {
    steps: steps.map((step) => ({ id: step.id, type: step.type, config: configOf(step, startTag, tagIds) })),
    edges: edges.map((edge) => ({ ...edge })),
    settings: { exitRules: exit ? [rule(tagIds.get(exit.tag)!)] : [] },
    successGoals: success ? [{ id: 'g', event: added(tagIds.get(success)!) }] : [],
  };
}
