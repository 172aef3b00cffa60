import { beforeAll, describe, expect, it } from '@jest/globals';
import { writtenEmailRequests } from '#contracts';
import type { RemoteFailure } from '#tool-call';
import { SendFixture } from '../send-fixture.js';
import type { Sending } from '../send-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('send_written_email', () => {
  const world = useFixture(() => SendFixture.start());
  let tenant: Sending;
  beforeAll(async () => {
    tenant = await world.organization();
  });

  const send = (content: unknown, contentType: 'HTML' | 'MARKDOWN' | 'TIPTAP') =>
    world.tidings.client(writtenEmailRequests).send_written_email(
      {
        from: `hello@${tenant.sender.domain}`,
        to: 'ada@example.com',
        subject: 'Your receipt',
        content,
        contentType,
      },
      world.tidings.caller(tenant),
    );
  const issuesOf = (content: unknown, contentType: 'HTML' | 'MARKDOWN' | 'TIPTAP') =>
    send(content, contentType).then(
      () => [],
      (error: RemoteFailure) => error.failure.issues!.map(({ path, message }) => `${path.join('.')}: ${message}`),
    );

  it('takes finished HTML up to the length that send_email takes', async () => {
    const length = 500_000;
    const html = '<p>Thanks</p>'.padEnd(length);
    expect(await send(html, 'HTML')).toMatchObject({ status: 'QUEUED' });
    expect(await issuesOf(`${html} `, 'HTML')).toEqual([`content: must have at most ${length} characters`]);
  });

  it.each(['HTML', 'MARKDOWN'] as const)('sends no %s that says nothing, or is no text', async (contentType) => {
    expect(await issuesOf('', contentType)).toEqual(['content: must have at least 1 character']);
    expect(await issuesOf({}, contentType)).toEqual([`content: must be text for contentType ${contentType}`]);
  });

  it('says of content that is missing that it is required', async () => {
    expect(await issuesOf(undefined, 'TIPTAP')).toEqual(['content: is required']);
    expect(await issuesOf(undefined, 'HTML')).toEqual(['content: is required']);
  });
});
