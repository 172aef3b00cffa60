/** @jest-environment jsdom */
import '../../test/jsdom.js';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { setOrganization } from '../data/session.js';
import { pages } from '../data/tools.calls.js';
import { RecordList } from './record-list.js';

const pageSize = 100;
const visibleRows = 20;
const label = 'People';
const columns = [{ id: 'email', header: 'Email', cell: ({ email }: { email: string }) => email }];

/** The inputs that the list asked for, in their order. */
let asked: { cursor?: string; status?: string }[] = [];
/** Answers as search_subscribers does, with as many pages as are wanted. */
let pagesThere = 3;
let fails = false;

beforeEach(() => {
  asked = [];
  pagesThere = 3;
  fails = false;
  setOrganization(1);
  // jsdom lays nothing out.
  jest.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(visibleRows * 40);
  jest.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(1000);
  globalThis.fetch = jest.fn<typeof fetch>((_url, init) => Promise.resolve(answer(init!.body as string)));
});
afterEach(() => {
  cleanup();
  jest.restoreAllMocks();
});

function answer(body: string): Response {
  const input = JSON.parse(body) as { cursor?: string; status?: string };
  asked.push(input);
  if (fails) return reply(500, { success: false, error: 'The list cannot be read.', code: 'INTERNAL' });
  const place = Number(input.cursor ?? 0);
  const subscribers = Array.from({ length: pageSize }, (_, n) => ({
    id: `${input.status ?? ''}${place * pageSize + n}`,
    email: `${input.status ?? ''}${place * pageSize + n}@example.org`,
  }));
  return reply(200, {
    success: true,
    data: { subscribers, nextCursor: place + 1 < pagesThere ? String(place + 1) : null },
  });
}

const reply = (status: number, body: object): Response =>
  ({ status, headers: new Map(), text: () => Promise.resolve(JSON.stringify(body)) }) as unknown as Response;

function list(client: QueryClient, status: string) {
  return (
    <QueryClientProvider client={client}>
      <RecordList
        label={label}
        query={pages.search_subscribers({ status } as never)}
        rowsOf={({ subscribers }) => subscribers}
        idOf={({ id }) => id}
        columns={columns}
        bulk={() => null}
        empty={null}
      />
    </QueryClientProvider>
  );
}

const scrollBox = () => screen.getByRole('table').parentElement!;
const scrollTo = (row: number) => fireEvent.scroll(scrollBox(), { target: { scrollTop: row * 40 } });
const newClient = () => new QueryClient({ defaultOptions: { queries: { retry: false } } });

describe('RecordList', () => {
  it('reads the first page once, and the next only near its rows', async () => {
    render(list(newClient(), 'A'));
    await screen.findByText('A0@example.org');
    expect(asked).toEqual([{ status: 'A' }]);
    scrollTo(60);
    await waitFor(() => expect(asked).toEqual([{ status: 'A' }, { status: 'A', cursor: '1' }]));
  });

  it('begins another list at its top, with nothing selected', async () => {
    const client = newClient();
    const { rerender } = render(list(client, 'A'));
    await screen.findByText('A0@example.org');
    fireEvent.click(screen.getAllByRole('checkbox', { name: 'Select' })[0]!);
    await screen.findByText('1 selected');
    scrollTo(30);
    rerender(list(client, 'B'));
    await screen.findByText('B0@example.org');
    expect(scrollBox().scrollTop).toBe(0);
    expect(screen.queryByText('1 selected')).toBeNull();
  });

  it('holds 5,000 rows at most, and reads the first page again on the way back', async () => {
    pagesThere = 52;
    const client = newClient();
    render(list(client, 'A'));
    await screen.findByText('A0@example.org');
    const held = () => client.getQueryCache().getAll()[0]!.state.data as { pages: unknown[] };
    for (let page = 1; page < pagesThere; page++) {
      scrollTo(Math.min(page, 50) * pageSize - 20);
      await waitFor(() => expect(asked).toHaveLength(page + 1));
      await waitFor(() => expect(held().pages).toHaveLength(Math.min(page + 1, 50)));
    }
    asked = [];
    scrollTo(0);
    await waitFor(() => expect(asked[0]).toEqual({ status: 'A', cursor: '1' }));
    scrollTo(0);
    await waitFor(() => expect(asked[1]).toEqual({ status: 'A' }));
    await screen.findByText('A0@example.org');
    expect(held().pages).toHaveLength(50);
  });

  it('shows the rows it has with a notice when reading them again fails', async () => {
    const client = newClient();
    render(list(client, 'A'));
    await screen.findByText('A0@example.org');
    fails = true;
    await client.invalidateQueries();
    await screen.findByText('The list cannot be read.');
    screen.getByText('What you see may be out of date.');
    screen.getByText('A0@example.org');
  });
});
