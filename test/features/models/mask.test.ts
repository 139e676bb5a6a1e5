import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mask } from '../../../src/features/models/mask.ts';

describe('mask', () => {
  it.each([
    ['sk-proj-abcdefghijklmnopa1b2', 'sk-…a1b2'],
    ['AIzaSyA-0123456789-abcdefwxyz', '…wxyz'],
    ['sk-0123456789012345z', 'sk-…345z'],
    ['sk-012345678901234z', '…'],
    ['short', '…'],
    ['', '…'],
  ])('shows %j as %j', (secret, shown) => {
    expect(mask(secret)).toBe(shown);
  });

  it('shows at most the marker and four characters of a secret', () => {
    fc.assert(
      fc.property(fc.string(), (secret) => {
        expect(mask(secret).replace(/^sk-/, '').length).toBeLessThanOrEqual(5);
      }),
    );
  });
});
