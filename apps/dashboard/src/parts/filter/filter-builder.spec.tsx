/** @jest-environment jsdom */
import { afterEach, describe, expect, it } from '@jest/globals';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { queries } from '../../data/tools.calls.js';
import { FilterBuilder } from './filter-builder.js';
import type { Filter } from './filter.js';

const params = {
  type: 'object',
  properties: {
    type: { const: 'STRING' },
    field: { const: 'city' },
    operator: { const: 'IN' },
    values: { type: 'array', items: { type: 'string' } },
  },
  required: ['type', 'field', 'operator', 'values'],
};
const operator = { operator: 'IN', params, example: { type: 'STRING', field: 'city', operator: 'IN', values: ['x'] } };
const available = {
  group: { depthMax: 3 },
  filters: [{ type: 'STRING', fields: [{ field: 'city', label: 'City', operators: [operator] }] }],
};
const cityOf = (...values: string[]): Filter => ({ type: 'STRING', field: 'city', operator: 'IN', values });

function Builder({ start }: { start: Filter[] }) {
  const [filters, setFilters] = useState(start);
  return (
    <>
      <FilterBuilder filters={filters} onChange={setFilters} />
      <output>{JSON.stringify(filters.map(({ values }) => values ?? null))}</output>
    </>
  );
}

const open = (start: Filter[]) => {
  const client = new QueryClient();
  client.setQueryData(queries.get_available_filters({}).queryKey as readonly unknown[], available);
  render(
    <QueryClientProvider client={client}>
      <Builder start={start} />
    </QueryClientProvider>,
  );
  return userEvent.setup();
};
const values = () => screen.getAllByRole<HTMLInputElement>('textbox').map(({ value }) => value);
const removeButtons = () => screen.getAllByRole('button', { name: 'Remove filter' });

describe('FilterBuilder', () => {
  afterEach(cleanup);

  it('keeps what is typed in the other rows when one is removed', async () => {
    const user = open([cityOf('Rome'), cityOf('Oslo'), cityOf('Bern')]);
    await user.type(screen.getAllByRole('textbox')[1]!, ', ');
    await user.click(removeButtons()[0]!);
    expect(values()).toEqual(['Oslo, ', 'Bern']);
    await user.type(screen.getAllByRole('textbox')[0]!, 'Kiel');
    expect(screen.getByRole('status').textContent).toBe('[["Oslo","Kiel"],["Bern"]]');
  });

  it('leads the focus to a new row, to the next one after a removal, and to the button at last', async () => {
    const user = open([cityOf('Rome')]);
    await user.click(screen.getByRole('button', { name: 'Add filter' }));
    const fields = screen.getAllByRole('combobox', { name: 'Field' });
    expect(document.activeElement).toBe(fields[1]);
    await user.click(removeButtons()[1]!);
    expect(document.activeElement).toBe(fields[0]);
    await user.click(removeButtons()[0]!);
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Add filter' }));
  });
});
