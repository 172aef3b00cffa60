import { secondFactorRequests } from '#contracts';
import { implement } from '#tool-call';
import type { Caller } from '#tool-call';
import type { PeopleServices } from '../session/people.service.js';
import type { Client } from '../session/session-opener.service.js';

export const implementFactorRequests = ({ factors, signIn }: Pick<PeopleServices, 'factors' | 'signIn'>) =>
  implement(secondFactorRequests, {
    prove_factor: async ({ ticket, client, ...given }, caller) =>
      await signIn.proveFactor(ticket, given, identified(client, caller)),
    ask_passkey: async ({ client, ...of }, caller) => await signIn.askPasskey(of, identified(client, caller)),

    list_factors: async ({ secretHash }) => await factors.list(secretHash),
    begin_totp: async ({ secretHash }) => await factors.beginTotp(secretHash),
    confirm_totp: async ({ secretHash, code, client }, caller) =>
      await factors.confirmTotp(secretHash, code, identified(client, caller)),
    begin_passkey: async ({ secretHash, relyingParty }) => ({
      options: await factors.beginPasskey(secretHash, relyingParty),
    }),
    register_passkey: async ({ secretHash, client, ...given }, caller) =>
      await factors.registerPasskey(secretHash, given, identified(client, caller)),
    rename_factor: async ({ secretHash, factorId, name, client }, caller) => ({
      factor: await factors.rename(secretHash, factorId, name, identified(client, caller)),
    }),
    remove_factor: async ({ secretHash, factorId, client }, caller) => {
      await factors.remove(secretHash, factorId, identified(client, caller));
      return {};
    },
    renew_recovery_codes: async ({ secretHash, client }, caller) => ({
      recoveryCodes: await factors.renewRecoveryCodes(secretHash, identified(client, caller)),
    }),
    reset_factors: async ({ email }, { requestId }) => await factors.resetByOperator(email, requestId),
  });

const identified = (client: Omit<Client, 'requestId'>, { requestId }: Caller): Client => ({ ...client, requestId });
