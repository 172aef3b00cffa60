/** @jest-environment jsdom */
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { catalogue } from '#contracts';
import { Refusal } from '../data/refusal.js';
import { SchemaForm } from './schema-form.js';
import { toolsOf } from './tool-schemas.js';

const open = (tool: string, error: unknown = null) => {
  const onSubmit = jest.fn<(input: Record<string, unknown>) => void>();
  const { schema } = toolsOf('owner').find(({ name }) => name === tool)!;
  render(<SchemaForm schema={schema()} button="Call" busy={false} error={error} onSubmit={onSubmit} />);
  const submit = () => userEvent.click(screen.getByRole('button', { name: 'Call' }));
  return { onSubmit, submit, user: userEvent.setup() };
};
/** A label is followed by a word where the field may stay empty. */
const field = (name: string) => screen.getByLabelText(new RegExp(`^${name}(optional)?$`));

describe('SchemaForm', () => {
  afterEach(cleanup);

  it('makes an input that the contract takes, of the fields that are filled', async () => {
    const { onSubmit, submit, user } = open('update_organization');
    await user.type(field('name'), 'Seeds');
    await user.selectOptions(field('approvals'), 'ALL');
    await user.type(field('sendDelaySeconds'), '30');
    await user.click(screen.getByRole('checkbox', { name: 'trackOpens' }));
    await submit();
    expect(onSubmit.mock.calls).toEqual([
      [{ name: 'Seeds', approvals: 'ALL', sendDelaySeconds: 30, trackOpens: true }],
    ]);
    expect(catalogue.get('update_organization')!.contract.input.safeParse(onSubmit.mock.calls[0]![0]).success).toBe(
      true,
    );
  });

  it('reads lists by their commas, and JSON for what has no control', async () => {
    const { onSubmit, submit, user } = open('add_subscriber');
    await user.type(field('email'), 'ada@example.org');
    await user.type(field('tags'), 'customer, , early access');
    await user.click(field('fields'));
    await user.paste('{"city": "Kyiv"}');
    await submit();
    expect(onSubmit.mock.calls).toEqual([
      [{ email: 'ada@example.org', tags: ['customer', 'early access'], fields: { city: 'Kyiv' } }],
    ]);
  });

  it('says at its field what is no JSON, and sends nothing', async () => {
    const { onSubmit, submit, user } = open('add_subscriber');
    await user.type(field('email'), 'ada@example.org');
    await user.click(field('fields'));
    await user.paste('city: Kyiv');
    await submit();
    expect(onSubmit).not.toHaveBeenCalled();
    const json = field('fields');
    expect(json.getAttribute('aria-invalid')).toBe('true');
    expect(document.getElementById(json.getAttribute('aria-describedby')!.split(' ').at(-1)!)?.textContent).toBe(
      'This is not JSON.',
    );
  });

  it('leads issues of a refusal to their fields, and shows the sentence of any other', () => {
    const refused = (issues: object[]) =>
      new Refusal(400, { error: 'The parameters are not valid.', code: 'BAD_REQUEST', issues } as never, null);
    open('update_organization', refused([{ path: ['name'], message: 'must not be empty' }]));
    expect(field('name').getAttribute('aria-invalid')).toBe('true');
    expect(screen.getByText('must not be empty')).toBeTruthy();
    expect(screen.queryByRole('alert')).toBeNull();
    cleanup();
    open('update_organization', refused([]));
    expect(screen.getByRole('alert').textContent).toContain('The parameters are not valid.');
  });
});
