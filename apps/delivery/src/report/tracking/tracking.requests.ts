import { trackingRequests } from '#contracts';
import { implement } from '#tool-call';
import { isMachineHit } from './classify-hit.js';
import type { HitRepository } from './hit.repository.js';
import { onlineView } from './online-view.service.js';
import type { OnlineViewDependencies } from './online-view.service.js';

interface Dependencies extends OnlineViewDependencies {
  hits: HitRepository;
}

export const implementTrackingRequests = ({ hits, ...views }: Dependencies) =>
  implement(trackingRequests, {
    view_message: async ({ messageId, period }, caller) => ({
      html: await onlineView(views, { messageId, month: period }, caller),
    }),

    judge_click: async ({ messageId, period, at, userAgent }, { organizationId }) => {
      const acceptedAt = messageId === null ? null : await hits.findAcceptedAt(organizationId, messageId, period);
      return { machine: isMachineHit({ kind: 'click', at: new Date(at), userAgent, acceptedAt }) };
    },
  });
