import { describe, expect, it } from '@jest/globals';
import { signRequest } from './sign-request.js';

/** The examples of the S3 documentation, "Signature Calculations for the Authorization Header". */
const key = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
};
const now = new Date('2013-05-24T00:00:00Z');
const host = 'examplebucket.s3.amazonaws.com';

describe('signing a request to a storage', () => {
  it('signs a GET as the documentation does', () => {
    const request = { path: '/test.txt', headers: { host, range: 'bytes=0-9' }, body: Buffer.alloc(0) };
    expect(signRequest({ ...request, method: 'GET' }, key, now)).toEqual({
      host,
      range: 'bytes=0-9',
      'x-amz-date': '20130524T000000Z',
      'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      authorization:
        'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,' +
        'SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,' +
        'Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    });
  });

  it('signs a PUT as the documentation does', () => {
    const headers = { host, date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' };
    const body = Buffer.from('Welcome to Amazon S3.');
    const signed = signRequest({ method: 'PUT', path: '/test%24file.text', headers, body }, key, now);
    expect(signed.authorization).toContain(
      'SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class,' +
        'Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    );
  });
});
