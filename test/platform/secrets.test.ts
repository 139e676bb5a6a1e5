import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { equalSecrets, Secrets, sha256 } from '../../src/platform/secrets.ts';

const secrets = new Secrets(randomBytes(32));

describe('encrypted secrets', () => {
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

it.each([
  ['same', 'same', true],
  ['', '', true],
  ['same', 'sane', false],
  ['same', 'same ', false],
  ['same', '', false],
])('equalSecrets compares %j and %j: %s', (a, b, equal) => {
  expect(equalSecrets(a, b)).toBe(equal);
});

it('sha256 is the plain hash, so that stored hashes stay valid', () => {
  expect(sha256('abc').toString('hex')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});
