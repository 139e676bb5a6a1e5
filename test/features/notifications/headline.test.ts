import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillHeadline } from '../../../src/features/notifications/headline.ts';

const name = fc.stringMatching(/^[a-zA-Z_]{1,12}$/);
const plain = fc.string().map((text) => text.replaceAll(/[{}]/g, ''));

describe('fillHeadline', () => {
  it('inserts each value for its variable, unchanged', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(plain, name)),
        fc.dictionary(name, fc.string()),
        (parts, values) => {
          const template = parts.map(([text, variable]) => `${text}{${variable}}`).join('');
          const filled = parts.map(([text, variable]) =>
            Object.hasOwn(values, variable) ? text + values[variable] : `${text}{${variable}}`,
          );
          expect(fillHeadline(template, values)).toBe(filled.join(''));
        },
      ),
    );
  });

  it('names users by name, else e-mail address, else id', () => {
    const template = '{a}, {b}, {c}';
    const values = {
      a: { userId: '1', name: 'Ada', email: 'ada@example.com' },
      b: { userId: '2', email: 'b@example.com' },
      c: { userId: '3' },
    };
    expect(fillHeadline(template, values)).toBe('Ada, b@example.com, 3');
  });

  it('keeps variables without a value, and braces in values', () => {
    const template = '{what} {unknown} {constructor} {}';
    expect(fillHeadline(template, { what: '{who}', who: 'x' })).toBe(
      '{who} {unknown} {constructor} {}',
    );
  });

  it('is never longer than a template may be', () => {
    const filled = fillHeadline('{a}'.repeat(3_000), { a: '😀'.repeat(5_000) });
    expect(filled).toBe('😀'.repeat(5_000));
  });
});
