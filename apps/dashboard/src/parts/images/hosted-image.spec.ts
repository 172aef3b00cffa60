import { describe, expect, it } from '@jest/globals';
import { faultOf, imageAttributes, nameOf, shownAddress } from './hosted-image.js';
import type { HostedImage } from './hosted-image.js';

const image = {
  url: 'https://mail.example.com/i/img_1.png',
  description: 'A bed',
  width: 1200,
  height: 801,
} as HostedImage;

describe('a hosted image', () => {
  it('is shown from the own origin, and named in mails by its public address', () => {
    expect(shownAddress(image)).toBe('/i/img_1.png');
    expect(imageAttributes(image).src).toBe('https://mail.example.com/i/img_1.png');
  });

  it('is no wider than a mail, and never enlarged', () => {
    expect(imageAttributes(image)).toMatchObject({ alt: 'A bed', width: 600, height: 401 });
    expect(imageAttributes({ ...image, width: 20, height: 10 })).toMatchObject({ width: 20, height: 10 });
    expect(imageAttributes({ ...image, width: 6000, height: 1 })).toMatchObject({ width: 600, height: 1 });
  });

  it('takes its name from the file', () => {
    expect(nameOf('spring-bed.png')).toBe('spring-bed');
    expect(nameOf('.png')).toBe('.png');
    expect(nameOf(`${'x'.repeat(300)}.png`)).toHaveLength(255);
  });

  it('is refused by type and size before it is sent', () => {
    expect(faultOf({ type: 'image/svg+xml', size: 10 })).toBe('type');
    expect(faultOf({ type: 'image/png', size: 2 * 1024 * 1024 })).toBe('size');
    expect(faultOf({ type: 'image/png', size: 2 * 1024 * 1024 - 1 })).toBeNull();
  });
});
