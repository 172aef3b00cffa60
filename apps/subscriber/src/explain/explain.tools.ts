import { explainTools } from '#contracts';
import { implement } from '#tool-call';
import type { SubscriberViewRepository } from '../subscriber/subscriber-view.repository.js';
import { targetOf } from './explain.js';
import type { ExplainService } from './explain.service.js';

interface Dependencies {
  explanations: ExplainService;
  views: SubscriberViewRepository;
}

export const implementExplainTools = ({ explanations, views }: Dependencies) =>
  implement(explainTools, {
    explain: async (args, caller) => {
      const { kind, id } = targetOf(args);
      const { subscriberId, email } = args;
      const named = subscriberId !== undefined || email !== undefined;
      if (kind === 'message' && !named) return await explanations.message(id, null, caller);
      const subscriber = await views.getId(caller.organizationId, { subscriberId, email });
      if (kind === 'message') return await explanations.message(id, subscriber, caller);
      if (kind === 'workflow') return await explanations.workflow(subscriber, id, caller);
      return kind === 'segment'
        ? await explanations.segment(subscriber, id, caller)
        : await explanations.campaign(subscriber, id, caller);
    },
  });
