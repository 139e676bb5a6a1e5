import { beforeAll, expect, it } from 'vitest';
import { formatText, unformatHtml } from '../../src/client/react/components/format-text.ts';
import { provideDom } from '../support/dom.ts';

beforeAll(provideDom);

it.each([
  ['2. Yes', '<ol start="2"><li>Yes</li></ol>'],
  ['1. Yes\n2. No', '<ol><li>Yes</li><li>No</li></ol>'],
  ['Of the points:\n7. Yes\n8. No', 'Of the points:<ol start="7"><li>Yes</li><li>No</li></ol>'],
])('keeps the number with which a list begins, also for a later edit: %s', (text, html) => {
  expect(formatText(text).html).toBe(html);
  expect(unformatHtml(html)).toBe(text);
});

it('takes no year for the number of a list', () => {
  expect(formatText('2026. A good year.')).toEqual({ text: '2026. A good year.', html: undefined });
});
