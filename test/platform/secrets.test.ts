import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equalSecrets, Secrets, sha256 } from '../../src/platform/secrets.ts';

const secrets = new Secrets(randomBytes(32));

describe('encrypted secrets', () => {
  it('can be decrypted in their own place, with any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.string({ unit: 'grapheme' }),
        (text, place) => {
          expect(secrets.open(secrets.seal(text, place), place)).toBe(text);
        },
      ),
    );
  });

  it('cannot be decrypted in any other place', () => {
    const sealed = secrets.seal('token', 'auth_tokens/one');
    expect(() => secrets.open(sealed, 'auth_tokens/two')).toThrow();
    expect(() => secrets.open(sealed, '')).toThrow();
  });

  it('cannot be decrypted with another SECRET_KEY, and say so', () => {
    const sealed = new Secrets(randomBytes(32)).seal('token', 'place');
    expect(() => secrets.open(sealed, 'place')).toThrow(/another SECRET_KEY/);
  });

  it('can be decrypted with the same SECRET_KEY in another process', () => {
    const key = randomBytes(32);
    expect(new Secrets(key).open(new Secrets(key).seal('token', 'place'), 'place')).toBe('token');
  });

  it('cannot be decrypted when a character is changed, added or removed', () => {
    const sealed = secrets.seal('token', 'place');
    const forged = [
      ...[...sealed].map(
        (character, at) => sealed.slice(0, at) + flip(character) + sealed.slice(at + 1),
      ),
      ...[...sealed].map((_, at) => sealed.slice(0, at)),
      `${sealed}A`,
      `${sealed}!`,
      `${sealed}.`,
      `${sealed}.A`,
    ];
    for (const text of forged) expect(() => secrets.open(text, 'place'), text).toThrow();
  });

  it('do not reveal the text, nor that two texts are the same', () => {
    const [one, two] = [secrets.seal('token', 'place'), secrets.seal('token', 'place')];
    expect(one).not.toBe(two);
    expect(Buffer.from(one.split('.')[2] ?? '', 'base64url').includes('token')).toBe(false);
  });
});

const flip = (character: string) => (character === 'A' ? 'B' : 'A');

describe('mac', () => {
  it('is equal for equal text, and differs for another text or key', () => {
    expect(secrets.mac('text')).toBe(secrets.mac('text'));
    expect(secrets.mac('text')).not.toBe(secrets.mac('texts'));
    expect(secrets.mac('text')).not.toBe(new Secrets(randomBytes(32)).mac('text'));
  });
});

describe('equalSecrets', () => {
  it.each([
    ['same', 'same', true],
    ['', '', true],
    ['same', 'sane', false],
    ['same', 'same ', false],
    ['same', '', false],
  ])('compares %j and %j: %s', (a, b, equal) => {
    expect(equalSecrets(a, b)).toBe(equal);
  });
});

it('sha256 is the plain hash, so that stored hashes stay valid', () => {
  expect(sha256('abc').toString('hex')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});
