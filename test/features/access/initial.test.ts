import { expect, it } from 'vitest';
import { initialOf } from '../../../src/features/access/users/users.ts';

it.each([
  ['Ada Lovelace', 'A'],
  ['ada', 'A'],
  ['  émile', 'É'],
  ['  e\u0301mile', 'E\u0301'],
  ['👩‍🚀 Sally', '👩‍🚀'],
  ['👨‍👩‍👧‍👦', '👨‍👩‍👧‍👦'],
  ['🇫🇷 Marie', '🇫🇷'],
  ['𝒜da', '𝒜'],
  ['şükrü', 'Ş'],
  ['ليلى', 'ل'],
  ['שרה', 'ש'],
  ['李雷', '李'],
  ['नमिता', 'न'],
  ['7 of 9', '7'],
  ['', ''],
  ['   ', ''],
])('the initial of %j is %j', (name, initial) => {
  expect(initialOf(name)).toBe(initial);
});
