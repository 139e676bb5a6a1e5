import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

const FORMAT = 'v1';
const ENCRYPTED_TEXT = /^v1\.([0-9a-f]{8})\.([\w-]+)$/;

/**
 * Everything that depends on SECRET_KEY: encrypting secrets for storage, signing user tokens, and
 * authenticating short texts. The current key encrypts and signs. Previous keys still decrypt and
 * verify, so that the key can be changed while the service runs.
 */
export class Secrets {
  /** Signs user tokens (HS256). */
  readonly userTokenKey: Uint8Array;
  /** The keys that verify user tokens: the current key first, then the previous ones. */
  readonly userTokenKeys: readonly Uint8Array[];
  readonly #current: DerivedKeys;
  readonly #ring: readonly DerivedKeys[];

  /** Each key must have 32 bytes. */
  constructor(secretKey: Buffer, previousKeys: readonly Buffer[] = []) {
    this.#current = deriveKeys(secretKey);
    this.#ring = [this.#current, ...previousKeys.map(deriveKeys)];
    this.userTokenKey = this.#current.userToken;
    this.userTokenKeys = this.#ring.map((keys) => keys.userToken);
  }

  /** The prefix of every text that the current key has encrypted. */
  get currentPrefix(): string {
    return `${FORMAT}.${this.#current.id}.`;
  }

  /**
   * Encrypts with AES-256-GCM. `context` names where the text belongs, such as its row and column;
   * `open` decrypts it only with the same context.
   */
  seal(plaintext: string, context: string): string {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#current.encryption, iv);
    cipher.setAAD(Buffer.from(context));
    const encrypted = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
    const body = Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64url');
    return this.currentPrefix + body;
  }

  /**
   * Decrypts what `seal` returned.
   *
   * @throws Error when neither the current key nor a previous one encrypted it for this context
   */
  open(encryptedText: string, context: string): string {
    const [, keyId, body = ''] = ENCRYPTED_TEXT.exec(encryptedText) ?? [];
    const bytes = Buffer.from(body, 'base64url');
    // Decoding ignores the last bits. Texts that differ from the original only there are refused.
    if (keyId === undefined || bytes.toString('base64url') !== body) {
      throw new Error('A secret was changed after it was encrypted.');
    }
    const keys = this.#ring.find(({ id }) => id === keyId);
    if (!keys) throw new Error(`A secret was encrypted with another SECRET_KEY (key id ${keyId}).`);
    const decipher = createDecipheriv('aes-256-gcm', keys.encryption, bytes.subarray(0, 12), {
      // Without this, Node would accept a shortened tag, which can be guessed.
      authTagLength: 16,
    });
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(bytes.subarray(12, 28));
    return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8');
  }

  /** Returns the JSON that was encrypted for this context; undefined for any other text. */
  openJson<Value>(encryptedText: string, context: string): Value | undefined {
    try {
      return JSON.parse(this.open(encryptedText, context)) as Value;
    } catch {
      return undefined;
    }
  }

  /** A short authentication code of the text, which only this server can create. */
  mac(text: string): string {
    return this.#current.mac(text);
  }

  /** Whether `code` is what `mac` returns for the text, with the current key or a previous one. */
  isMac(text: string, code: string): boolean {
    return this.#ring.some((keys) => equalSecrets(keys.mac(text), code));
  }
}

/**
 * The keys derived from one SECRET_KEY. Each use has a key of its own, so that none can serve in
 * place of another.
 */
function deriveKeys(secretKey: Buffer) {
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', secretKey, '', use, 32));
  const macKey = createSecretKey(derive('page tokens'));
  return {
    /** Stored with each secret, to find the key that decrypts it. */
    id: derive('key id').subarray(0, 4).toString('hex'),
    userToken: derive('user tokens'),
    encryption: createSecretKey(derive('secrets at rest')),
    mac: (text: string): string =>
      createHmac('sha256', macKey).update(text).digest('base64url').slice(0, 22),
  };
}

type DerivedKeys = ReturnType<typeof deriveKeys>;

/** A column of encrypted secrets, which its feature declares for the rotation of SECRET_KEY. */
export interface SealedColumn {
  table: string;
  column: string;
  /** The field that holds the secret, if the column is a JSON object. */
  field?: string;
  /** The columns of the table's primary key. */
  key: readonly string[];
  /** Returns the encryption context of a row's secret. `key` has the values of the primary key. */
  storageAddress(...key: Array<string | Buffer>): string;
}

/** Hashes credentials for storage. They are 256 random bits, so a plain hash cannot be reversed by guessing. */
export const sha256 = (text: string): Buffer<ArrayBuffer> =>
  Buffer.from(hash('sha256', text, 'buffer'));

/** Compares in a time that does not depend on where the texts differ, nor on their lengths. */
export const equalSecrets = (a: string, b: string): boolean =>
  timingSafeEqual(sha256(a), sha256(b));
