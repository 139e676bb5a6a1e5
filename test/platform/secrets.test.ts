import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signUserToken, verifyUserToken } from '../../src/api/credentials/user-tokens.ts';
import { readConfig } from '../../src/config.ts';
import { equalSecrets, Secrets, sha256 } from '../../src/platform/secrets.ts';

const [first, second, third] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const before = new Secrets(first);
const between = new Secrets(second, [first]);
const after = new Secrets(second);
const clock = { now: () => 1_800_000_000_000 };

describe('encrypted secrets', () => {
  it('cannot be decrypted when a character is changed, added or removed', () => {
    const sealed = before.seal('token', 'place');
    const forged = [
      ...[...sealed].map((one, at) => sealed.slice(0, at) + flip(one) + sealed.slice(at + 1)),
      ...[...sealed].map((_, at) => sealed.slice(0, at)),
      ...['A', '!', '.', '.A'].map((end) => sealed + end),
    ];
    for (const text of forged) expect(() => before.open(text, 'place'), text).toThrow();
  });

  it('do not reveal the text, nor that two texts are the same', () => {
    const [one, two] = [before.seal('token', 'place'), before.seal('token', 'place')];
    expect(one).not.toBe(two);
    expect(Buffer.from(one.split('.')[2] ?? '', 'base64url').includes('token')).toBe(false);
  });
});

const flip = (character: string) => (character === 'A' ? 'B' : 'A');

it.each([
  ['same', 'same', true],
  ['same', 'sane', false],
  ['same', 'same ', false],
])('equalSecrets compares %j and %j: %s', (a, b, equal) => {
  expect(equalSecrets(a, b)).toBe(equal);
});

it('sha256 is the plain hash, so that stored hashes stay valid', () => {
  expect(sha256('abc').toString('hex')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});

describe('a ring of secret keys', () => {
  it('decrypts values of any of its keys, in their own place only', () => {
    const ring = new Secrets(third, [second, first]);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, place) => {
        for (const secrets of [before, after, ring]) {
          const sealed = secrets.seal(text, place);
          expect(ring.open(sealed, place)).toBe(text);
          expect(() => ring.open(sealed, `${place}/`)).toThrow();
        }
      }),
    );
  });

  it('never repeats in an error what it could not decrypt', () => {
    const secret = 'sk-stored-by-hand.in-plain.text';
    for (const text of [secret, `v1.${secret}`, `v1.0123abcd.${secret}`, '']) {
      try {
        between.open(text, 'place');
        expect.unreachable();
      } catch (error) {
        expect(String(error)).not.toMatch(/stored|plain/);
      }
    }
  });

  it('verifies codes of any of its keys, and creates those of the current one', () => {
    expect(between.isMac('text', before.mac('text'))).toBe(true);
    expect(between.isMac('text', between.mac('text'))).toBe(true);
    expect(after.isMac('text', between.mac('text'))).toBe(true);
    expect(after.isMac('text', before.mac('text'))).toBe(false);
    expect(between.isMac('texts', before.mac('text'))).toBe(false);
    expect(between.isMac('text', '')).toBe(false);
  });

  it('verifies user tokens of any of its keys, and signs with the current one', async () => {
    const user = { tenantId: 'key', userId: 'ada', era: '0.' };
    const invalid = { details: { reason: 'TOKEN_INVALID' } };
    const old = await signUserToken(before, clock, user);
    const signed = await signUserToken(between, clock, user);
    expect(await verifyUserToken(between, clock, old)).toMatchObject(user);
    expect(await verifyUserToken(after, clock, signed)).toMatchObject(user);
    await expect(verifyUserToken(after, clock, old)).rejects.toMatchObject(invalid);
    await expect(verifyUserToken(before, clock, signed)).rejects.toMatchObject(invalid);
  });

  it('may contain the current key among the previous ones', () => {
    const twice = new Secrets(second, [second, first]);
    expect(twice.open(before.seal('token', 'place'), 'place')).toBe('token');
    expect(twice.open(after.seal('token', 'place'), 'place')).toBe('token');
  });
});

it('PREVIOUS_SECRET_KEYS is a list, empty by default, and refused without being repeated when one is no key', () => {
  const [a, b] = [first.toString('base64'), second.toString('base64')];
  const read = (PREVIOUS_SECRET_KEYS: string) => readConfig({ PREVIOUS_SECRET_KEYS });
  expect(readConfig({}).previousSecretKeys).toEqual([]);
  expect(read(` ${a} , ${b},`).previousSecretKeys).toEqual([a, b]);
  expect(() => read(`${a},c2hvcnQ=`)).toThrow(/PREVIOUS_SECRET_KEYS: must be 32 bytes/);
  expect(() => read(`${a},c2hvcnQ=`)).not.toThrow(/c2hvcnQ/);
});
