import { sendRateRequests } from '#contracts';
import { implement } from '#tool-call';
import type { SendRateRepository } from './send-rate.repository.js';

export const implementSendRateRequests = (rates: SendRateRepository) =>
  implement(sendRateRequests, {
    get_send_rate: async (_args, { organizationId }) => {
      const rate = await rates.find(organizationId);
      return { ratePerSecond: rate === null ? null : Math.round(rate * 10) / 10 };
    },
  });
