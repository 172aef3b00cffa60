import { expect, it } from '@jest/globals';
import { reasons } from './errors.js';
import { callReasons } from './reasons/calls.js';
import { campaignReasons } from './reasons/campaigns.js';
import { deliveryReasons } from './reasons/delivery.js';
import { domainReasons } from './reasons/domains.js';
import { peopleReasons } from './reasons/people.js';
import { subscriberReasons } from './reasons/subscribers.js';
import { workflowReasons } from './reasons/workflows.js';

it('each reason stands in one group: a second one would replace its sentence', () => {
  const groups = [callReasons, campaignReasons, deliveryReasons, domainReasons, peopleReasons, subscriberReasons];
  const names = [...groups, workflowReasons].flatMap((group) => Object.keys(group));
  expect(names.sort()).toEqual(Object.keys(reasons).sort());
});
