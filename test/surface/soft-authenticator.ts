import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const base64url = (data: Buffer | string): string => Buffer.from(data).toString('base64url');

/** Flags of authenticator data (WebAuthn Level 2, section 6.1). */
const present = 0x01;
const verified = 0x04;
const hasCredential = 0x40;

interface Options {
  challenge: string;
  rpId?: string;
  rp?: { id: string };
  user?: { id: string };
}

interface Circumstances {
  origin?: string;
  isVerified?: boolean;
}

/** An authenticator with one passkey, ES256, as a browser would pass its answers on. */
export class SoftAuthenticator {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #id = randomBytes(32);
  #userHandle = '';
  #counter = 0;

  constructor(private readonly origin: string) {}

  /** What navigator.credentials.create() would return, as JSON, without attestation. */
  register({ challenge, rp, user }: Options, { origin = this.origin, isVerified = true }: Circumstances = {}) {
    this.#userHandle = user!.id;
    const { x, y } = this.#keys.publicKey.export({ format: 'jwk' });
    // A COSE key (RFC 9053, section 7.1.1): EC2, ES256, P-256.
    const key = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x!, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y!, 'base64url'),
    ]);
    const length = Buffer.from([this.#id.length >> 8, this.#id.length & 0xff]);
    const credential = Buffer.concat([Buffer.alloc(16), length, this.#id, key]);
    const data = Buffer.concat([this.#data(rp!.id, hasCredential, isVerified), credential]);
    // CBOR (RFC 8949) of {fmt: 'none', attStmt: {}, authData}.
    const head = Buffer.concat([
      Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746159', 'hex'),
      Buffer.from([data.length >> 8, data.length & 0xff]),
    ]);
    const clientDataJSON = this.#clientData('webauthn.create', challenge, origin);
    return {
      ...this.#shown(),
      response: {
        clientDataJSON: base64url(clientDataJSON),
        attestationObject: base64url(Buffer.concat([head, data])),
        transports: ['internal'],
      },
    };
  }

  /** What navigator.credentials.get() would return, as JSON. */
  assert({ challenge, rpId }: Options, { origin = this.origin, isVerified = true }: Circumstances = {}) {
    this.#counter += 1;
    const data = this.#data(rpId!, 0, isVerified);
    const clientData = this.#clientData('webauthn.get', challenge, origin);
    const signature = sign('sha256', Buffer.concat([data, sha256(clientData)]), this.#keys.privateKey);
    return {
      ...this.#shown(),
      response: {
        clientDataJSON: base64url(clientData),
        authenticatorData: base64url(data),
        signature: base64url(signature),
        userHandle: this.#userHandle,
      },
    };
  }

  #shown() {
    const id = base64url(this.#id);
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {} };
  }

  #data(rpId: string, flags: number, isVerified: boolean): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.#counter);
    return Buffer.concat([sha256(rpId), Buffer.from([present | (isVerified ? verified : 0) | flags]), counter]);
  }

  #clientData(type: string, challenge: string, origin: string): string {
    return JSON.stringify({ type, challenge, origin, crossOrigin: false });
  }
}
