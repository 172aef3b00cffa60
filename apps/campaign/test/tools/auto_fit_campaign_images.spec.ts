import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { CampaignFixture, doc, paragraph } from '../campaign-fixture.js';
import { png, Site } from '../image-fixtures.js';

interface Fitted {
  dryRun: boolean;
  images: { index: number; status: string; natural: object | null; current: object; fitted: object | null }[];
}

describe('auto_fit_campaign_images', () => {
  let fixture: CampaignFixture;
  let site: Site;
  const asked: string[] = [];
  beforeAll(async () => {
    site = await Site.open((request, response) => {
      asked.push(request.url!);
      if (request.url!.startsWith('/never')) return;
      const size = /(\d+)x(\d+)/.exec(request.url!);
      response.end(size ? png(Number(size[1]), Number(size[2])) : 'no image');
    });
    process.env.FETCH_ALLOWED_ADDRESSES = site.host;
    fixture = await CampaignFixture.open();
    delete process.env.FETCH_ALLOWED_ADDRESSES;
  });
  afterAll(async () => {
    await fixture.close();
    await site.close();
  });

  const fit = (input: object) => fixture.harness.data<Fitted>('auto_fit_campaign_images', input, fixture.tenant);
  const refusal = (input: object) => fixture.harness.refusal('auto_fit_campaign_images', input, fixture.tenant);
  const image = (src: string, attrs: object = {}) => ({ type: 'image', attrs: { src, alt: 'A', ...attrs } });
  const statuses = ({ images }: Fitted) => images.map(({ status }) => status);
  const sizes = async (campaignId: string) =>
    [
      ...JSON.stringify((await fixture.get(campaignId)).content).matchAll(
        /"width":(\d+),"height":(\d+)|"height":(\d+),"width":(\d+)/g,
      ),
    ].map(([, width, height, heightFirst, widthAfter]) => `${width ?? widthAfter}x${height ?? heightFirst}`);

  it('fits every image into the frame, in sections and columns too, and none beyond its natural size', async () => {
    const { id } = await fixture.draft({
      content: doc(
        image(site.url('/1200x800')),
        { type: 'section', content: [image(site.url('/100x80'), { width: 500, height: 500 })] },
        paragraph('Text'),
        image(site.url('/100x800')),
      ),
    });
    const answer = await fit({ campaignId: id });
    expect(answer).toMatchObject({
      dryRun: false,
      images: [
        {
          index: 0,
          natural: { width: 1200, height: 800 },
          fitted: { width: 600, height: 400 },
          current: { width: null, height: null },
          status: 'FITTED',
          alt: 'A',
          src: site.url('/1200x800'),
        },
        { index: 1, current: { width: 500, height: 500 }, fitted: { width: 100, height: 80 }, status: 'FITTED' },
        { index: 2, fitted: { width: 50, height: 400 }, status: 'FITTED' },
      ],
    });
    expect(await sizes(id)).toEqual(['600x400', '100x80', '50x400']);
    expect(await fixture.history(id)).toHaveLength(2);
    const saved = await fixture.get(id);
    expect(statuses(await fit({ campaignId: id }))).toEqual(['UNCHANGED', 'UNCHANGED', 'UNCHANGED']);
    expect(await fixture.get(id)).toEqual(saved);
  });

  it('changes nothing in a dry run, whose indexes choose images then', async () => {
    const { id } = await fixture.draft({ content: doc(image(site.url('/900x900')), image(site.url('/800x100'))) });
    const before = await fixture.get(id);
    expect(await fit({ campaignId: id, dryRun: true, maxWidth: 300, maxHeight: 300 })).toMatchObject({
      dryRun: true,
      images: [{ fitted: { width: 300, height: 300 }, status: 'FITTED' }, { status: 'FITTED' }],
    });
    expect(await fixture.get(id)).toEqual(before);
    expect(statuses(await fit({ campaignId: id, imageIndexes: [1] }))).toEqual(['NOT_CHOSEN', 'FITTED']);
    expect(await sizes(id)).toEqual(['600x75']);
  });

  it('leaves alone what it cannot measure, and asks for no address twice', async () => {
    asked.length = 0;
    const { id } = await fixture.draft({
      content: doc(
        ...[image(site.url('/none')), image('http://169.254.169.254/a.png'), image('https://x.example/{{name}}.png')],
        ...[image(site.url('/70x70')), image(site.url('/70x70'))],
      ),
    });
    expect(statuses(await fit({ campaignId: id }))).toEqual([
      ...['UNREACHABLE', 'UNREACHABLE', 'NOT_RESIZABLE', 'FITTED', 'FITTED'],
    ]);
    expect(asked.sort()).toEqual(['/70x70', '/none']);
    const markdown = await fixture.draft({ contentType: 'MARKDOWN', content: `![A](${site.url('/9x9')})` });
    expect(statuses(await fit({ campaignId: markdown.id }))).toEqual(['NOT_RESIZABLE']);
  });

  it('saves what it measured in the time of a call, however many addresses do not answer', async () => {
    const never = Array.from({ length: 24 }, (_, n) => image(site.url(`/never${n}`)));
    const { id } = await fixture.draft({ content: doc(image(site.url('/60x60')), ...never) });
    const started = Date.now();
    const deadline = started + 8_000;
    const outcome = await fixture.harness.call('auto_fit_campaign_images', { campaignId: id }, fixture.tenant, {
      deadline,
    });
    expect(Date.now() - started).toBeLessThan(15_000);
    expect(statuses((outcome as { data: Fitted }).data)).toEqual(['FITTED', ...never.map(() => 'UNREACHABLE')]);
    expect(await sizes(id)).toEqual(['60x60']);
  });

  it('reads the size of hosted images without a request', async () => {
    const { image: hosted } = await fixture.harness.data<{ image: { url: string } }>(
      'upload_image',
      { url: site.url('/1000x500') },
      fixture.tenant,
    );
    asked.length = 0;
    const { id } = await fixture.draft({ content: doc(image(hosted.url)) });
    expect(await fit({ campaignId: id })).toMatchObject({ images: [{ fitted: { width: 600, height: 300 } }] });
    expect(asked).toEqual([]);
  });

  it('refuses an unknown index with PARAMETERS_INVALID, and a campaign that is not DRAFT with CAMPAIGN_NOT_DRAFT', async () => {
    const { id } = await fixture.draft({ content: doc(image(site.url('/9x9'))) });
    expect(await refusal({ campaignId: id, imageIndexes: [0, 1] })).toBe('PARAMETERS_INVALID');
    await fixture.harness.data('archive_campaign', { campaignId: id }, fixture.tenant);
    expect(await refusal({ campaignId: id, dryRun: true })).toBe('CAMPAIGN_NOT_DRAFT');
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign', async () => {
    const foreign = await fixture.draft({ content: doc(image(site.url('/9x9'))) }, fixture.otherTenant);
    for (const campaignId of [foreign.id, newId('cmp')])
      expect(await refusal({ campaignId })).toBe('CAMPAIGN_NOT_FOUND');
    expect(await fixture.get(foreign.id, fixture.otherTenant)).toEqual(foreign);
  });
});
