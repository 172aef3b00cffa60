import type { Page } from 'playwright-core';

const tools = '**/api/v2/tools/*';

/** Holds all calls of a page: what is read never arrives. */
export const holdAll = async (page: Page): Promise<void> => void (await page.route(tools, () => undefined));

export const failureText = 'The call failed because of an error on this server. Its log has the request id.';

/** Refuses all calls of a page. */
export async function failAll(page: Page): Promise<void> {
  await page.route(tools, (route) =>
    route.fulfill({
      status: 500,
      headers: { 'x-request-id': 'req_0000000000000000000000' },
      json: { success: false, error: failureText, code: 'INTERNAL', reason: 'INTERNAL_ERROR' },
    }),
  );
}

const rowsMax = 100;
const many = 1_234_567;

type Json = null | string | number | boolean | Json[] | { [key: string]: Json };

/**
 * Lets the real system answer, and makes the answers huge: a list that has a row has 100, and always another page; what is
 * counted is above a million.
 */
export async function answerHuge(page: Page): Promise<void> {
  let copies = 0;
  const grown = (value: Json, key: string): Json => {
    if (typeof value === 'number') return value > 0 && isCount(key) ? many : value;
    if (Array.isArray(value)) {
      const rows = value.map((one) => grown(one, key));
      const [first] = rows;
      if (!isRecord(first) || typeof first.id !== 'string') return rows;
      while (rows.length < rowsMax) {
        rows.push(copyOf(rows[rows.length % value.length] as { [key: string]: Json }, copies++));
      }
      return rows;
    }
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, name === 'nextCursor' ? 'more' : grown(one, name)]),
    );
  };
  await page.route(tools, async (route) => {
    const { cursor: _cursor, ...input } = route.request().postDataJSON() as Record<string, unknown>;
    const reply = await route.fetch({ postData: JSON.stringify(input) });
    const body = (await reply.json()) as { data?: Json };
    await route.fulfill({
      response: reply,
      json: { ...body, ...(body.data !== undefined && { data: grown(body.data, '') }) },
    });
  });
}

/** A row whose id and names are its own. */
const copyOf = (row: { [key: string]: Json }, place: number): Json =>
  Object.fromEntries(
    Object.entries(row).map(([key, value]) => [
      key,
      typeof value === 'string' && /^(?:id|name|email|domain|hostname)$/.test(key) ? `${value}${place}` : value,
    ]),
  );

const isRecord = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isCount = (key: string): boolean =>
  /count|total|pending|delivered|sent|opens|opened|clicks|clicked|bounced|members|subscribed/i.test(key);
