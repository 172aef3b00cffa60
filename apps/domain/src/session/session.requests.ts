import { sessionRequests } from '#contracts';
import { implement } from '#tool-call';
import type { Repositories } from '../repositories.js';
import { issueSetupLink } from './session.service.js';
import type { SessionService } from './session.service.js';
import type { UsedIds } from '../used-ids.js';

interface Dependencies {
  repositories: Repositories;
  sessions: SessionService;
  use: UsedIds;
}

export const implementSessionRequests = ({ repositories, sessions, use }: Dependencies) =>
  implement(sessionRequests, {
    authenticate_session: async ({ secretHash }) => {
      const session = await repositories.sessions.findByHash(secretHash);
      if (session) use.note(session.sessionId);
      return { session };
    },

    sign_in: async ({ email, password, client }) => await sessions.signIn(email, password, client),
    sign_in_again: async ({ secretHash, password, client }) => await sessions.signInAgain(secretHash, password, client),

    list_sessions: async ({ secretHash }) => {
      const { sessionId, user } = await sessions.find(secretHash);
      const all = await repositories.sessions.listOfUser(user.id);
      return { sessions: all.map((one) => ({ ...one, current: one.id === sessionId })) };
    },

    end_sessions: async ({ secretHash, which }) => ({ ended: await sessions.end(secretHash, which) }),

    issue_setup_link: async () => ({ token: await issueSetupLink(repositories) }),

    set_up_owner: async (asked) => await sessions.setUpOwner(asked),
    read_invitation: async ({ token, client }) => await sessions.readInvitation(token, client),
    accept_invitation: async (asked) => await sessions.acceptInvitation(asked),

    request_password_reset: async ({ email, client }) => {
      await sessions.requestReset(email, client);
      return {};
    },
    reset_password: async ({ token, password, client }) => {
      await sessions.resetPassword(token, password, client);
      return {};
    },
    change_password: async ({ secretHash, current, password, client }) =>
      await sessions.changePassword(secretHash, { current, password }, client),
    change_profile: async ({ secretHash, ...change }) => await sessions.changeProfile(secretHash, change),
    confirm_address: async ({ token, client }) => ({ email: await sessions.confirmAddress(token, client) }),

    count_users: async () => ({
      users: await repositories.users.count(),
      organizations: (await repositories.organizations.list()).length,
    }),
  });
