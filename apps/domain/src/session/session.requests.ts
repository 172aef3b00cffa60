import { sessionRequests } from '#contracts';
import { implement } from '#tool-call';
import type { Caller } from '#tool-call';
import type { Repositories } from '../repositories.js';
import { issueSetupLink } from './account-link.service.js';
import type { PeopleServices } from './people.service.js';
import type { Client } from './session-opener.service.js';
import type { UsedIds } from '../used-ids.js';

interface Dependencies extends PeopleServices {
  repositories: Repositories;
  use: UsedIds;
}

export const implementSessionRequests = ({
  repositories,
  opener,
  signIn,
  sessions,
  oidcSignIn,
  passwordChanges,
  accountLinks,
  use,
}: Dependencies) =>
  implement(sessionRequests, {
    authenticate_session: async ({ secretHash }) => {
      const session = await repositories.sessions.findByHash(secretHash);
      if (session) use.note(session.sessionId);
      return { session };
    },

    sign_in: async ({ email, password, client }, caller) =>
      await signIn.signIn(email, password, identified(client, caller)),
    sign_in_again: async ({ secretHash, password, client }, caller) =>
      await signIn.signInAgain(secretHash, password, identified(client, caller)),

    sign_in_with_identity: async ({ identity, secretHash, client }, caller) =>
      await oidcSignIn.signIn(identity, secretHash, identified(client, caller)),

    list_sessions: async ({ secretHash }) => {
      const { sessionId, user } = await opener.find(secretHash);
      const all = await repositories.sessions.listOfUser(user.id);
      return { sessions: all.map((one) => ({ ...one, current: one.id === sessionId })) };
    },

    end_sessions: async ({ secretHash, which, client }, caller) => ({
      ended: await sessions.end(secretHash, which, originOf(client, caller)),
    }),

    issue_setup_link: async () => ({ token: await issueSetupLink(repositories) }),

    set_operator: async ({ email, operator }) => ({ user: await sessions.setOperator(email, operator) }),

    set_up_owner: async (asked, caller) =>
      await accountLinks.setUpOwner({ ...asked, client: identified(asked.client, caller) }),
    read_invitation: async ({ token, client }, caller) =>
      await accountLinks.readInvitation(token, identified(client, caller)),
    accept_invitation: async (asked, caller) =>
      await accountLinks.acceptInvitation({ ...asked, client: identified(asked.client, caller) }),

    request_password_reset: async ({ email, client }, caller) => {
      await passwordChanges.requestReset(email, identified(client, caller));
      return {};
    },
    reset_password: async ({ token, password, client }, caller) => {
      await passwordChanges.resetPassword(token, password, identified(client, caller));
      return {};
    },
    change_password: async ({ secretHash, current, password, client }, caller) =>
      await passwordChanges.changePassword(secretHash, { current, password }, identified(client, caller)),
    change_profile: async ({ secretHash, client, ...change }, caller) =>
      await sessions.changeProfile(secretHash, change, originOf(client, caller)),
    confirm_address: async ({ token, client }, caller) => ({
      email: await accountLinks.confirmAddress(token, identified(client, caller)),
    }),

    count_users: async () => ({
      users: await repositories.users.count(),
      organizations: (await repositories.organizations.list()).length,
    }),
  });

const identified = (client: Omit<Client, 'requestId'>, { requestId }: Caller): Client => ({ ...client, requestId });
const originOf = (client: { ip: string } | undefined, { requestId }: Caller) => ({ ip: client?.ip ?? null, requestId });
