import { describe, expect, it } from '@jest/globals';
import { busiest, capacityOf, simulateMonth } from './cell-month.js';
import { demandOf } from './demand.js';
import type { Demand } from './demand.js';

const costs = { rows: 0, walBytes: 0, keptBytes: 0, streamBytes: 0 };
const campaignOf = (startsAt: number, mails: number): Demand => ({ campaigns: [{ startsAt, mails }], singleMails: 0 });
const minutesOf = (demands: Demand[], capacity: number) =>
  simulateMonth(demands, capacity).courses.map(({ startsAt, mails, minutes }) => [startsAt, mails, minutes]);

describe('a simulated month', () => {
  it('sends what the cores or the relays allow', () => {
    const unit = { processorMs: 2, mail: costs, activity: costs };
    expect(capacityOf({ cores: 4, relayRate: 5_000 }, unit)).toBe(120_000);
    expect(capacityOf({ cores: 4, relayRate: 500 }, unit)).toBe(30_000);
  });

  it('gives each campaign an equal share, and what one does not need to the others', () => {
    expect(minutesOf([campaignOf(10, 1_000), campaignOf(10, 100), campaignOf(11, 300)], 200)).toEqual([
      [10, 100, 1],
      [11, 300, 3],
      [10, 1_000, 7],
    ]);
  });

  it('sends single mails first', () => {
    const [course] = simulateMonth([campaignOf(600, 1_000), { campaigns: [], singleMails: 100_000_000 }], 400).courses;
    expect(course).toBeUndefined();
    expect(simulateMonth([campaignOf(600, 1_000)], 400).courses[0]).toMatchObject({ minutes: 3 });
  });

  it('has an open or a click for a third of the mails, most of them within a day', () => {
    const { sent, activities } = simulateMonth([campaignOf(0, 30_000)], 1_000);
    expect(sent.reduce((sum, mails) => sum + mails, 0)).toBeCloseTo(30_000);
    expect(activities.reduce((sum, one) => sum + one, 0)).toBeCloseTo(10_500);
    expect(activities.slice(0, 1_440).reduce((sum, one) => sum + one, 0)).toBeGreaterThan(10_000);
  });

  it('finds the busiest minutes in succession', () => {
    expect(busiest(Float64Array.from([1, 5, 4, 0, 6]), 2)).toBe(9);
  });
});

describe('the demand of a month', () => {
  const demands = demandOf({ mailsPerMonth: 1_000_000, organizations: 200, seed: 1 });
  const mailsOf = ({ campaigns, singleMails }: Demand) =>
    campaigns.reduce((sum, { mails }) => sum + mails, singleMails);

  it('has all mails, of which no organization sends more than a tenth', () => {
    const mails = demands.map(mailsOf);
    expect(Math.abs(mails.reduce((sum, one) => sum + one, 0) - 1_000_000)).toBeLessThan(1_000);
    expect(Math.max(...mails)).toBeLessThan(100_100);
    expect(Math.min(...mails)).toBeLessThan(3_000);
  });

  it('is the same for the same seed', () => {
    expect(demandOf({ mailsPerMonth: 1_000_000, organizations: 200, seed: 1 })).toEqual(demands);
    expect(demandOf({ mailsPerMonth: 1_000_000, organizations: 200, seed: 2 })).not.toEqual(demands);
  });
});
