import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

const FORMAT = 'v1';

/**
 * Everything that is made from SECRET_KEY: secrets at rest, the key that signs user tokens, and
 * the seal on page tokens. Each use has a key of its own, so that none can stand in for another.
 */
export class Secrets {
  /** Signs user tokens (HS256). */
  readonly userTokenKey: Uint8Array;
  readonly #encryptionKey: Buffer;
  readonly #macKey: Buffer;
  /** Stored with each secret, so that a rotation can tell old from new. */
  readonly #keyId: string;

  /** @param secretKey 32 bytes. */
  constructor(secretKey: Buffer) {
    const derive = (use: string) => Buffer.from(hkdfSync('sha256', secretKey, '', use, 32));
    this.userTokenKey = derive('user tokens');
    this.#encryptionKey = derive('secrets at rest');
    this.#macKey = derive('page tokens');
    this.#keyId = derive('key id').subarray(0, 4).toString('hex');
  }

  /**
   * Encrypts with AES-256-GCM. `place` names the row and column that the secret is for; it opens
   * nowhere else.
   */
  seal(plaintext: string, place: string): string {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#encryptionKey, iv);
    cipher.setAAD(Buffer.from(place));
    const encrypted = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
    const sealed = Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64url');
    return `${FORMAT}.${this.#keyId}.${sealed}`;
  }

  /** @throws Error when the text was not sealed by this key for this place. */
  open(sealed: string, place: string): string {
    const [format, keyId, body = '', ...rest] = sealed.split('.');
    if (format !== FORMAT || keyId !== this.#keyId) {
      throw new Error(`A secret was sealed by another SECRET_KEY (key id ${keyId}).`);
    }
    const bytes = Buffer.from(body, 'base64url');
    // Decoding passes over what is no base64url, so one text alone stands for these bytes.
    if (rest.length > 0 || bytes.toString('base64url') !== body) {
      throw new Error('A secret was changed after it was sealed.');
    }
    const decipher = createDecipheriv('aes-256-gcm', this.#encryptionKey, bytes.subarray(0, 12), {
      // Else a cut text would be checked by its first bytes only, which can be guessed.
      authTagLength: 16,
    });
    decipher.setAAD(Buffer.from(place));
    decipher.setAuthTag(bytes.subarray(12, 28));
    return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8');
  }

  /** A short code over the text that only this server can make. */
  mac(text: string): string {
    return createHmac('sha256', this.#macKey).update(text).digest('base64url').slice(0, 22);
  }
}

/** How credentials are stored. They are 256 random bits, so a plain hash cannot be guessed. */
export const sha256 = (text: string): Buffer<ArrayBuffer> =>
  Buffer.from(createHash('sha256').update(text).digest());

/** Compares in a time that does not depend on where the texts differ, nor on their lengths. */
export const equalSecrets = (a: string, b: string): boolean =>
  timingSafeEqual(sha256(a), sha256(b));
