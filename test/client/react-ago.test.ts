import { createElement } from 'react';
import { expect, it, vi } from 'vitest';
import { Ago } from '../../src/client/react/components/small-parts.tsx';
import { provideDom, render } from '../support/dom.ts';

it('the age of a comment is kept current while the page is open', async () => {
  provideDom();
  document.documentElement.lang = 'en';
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  const element = render(createElement(Ago, { at: Date.now() }));
  await vi.waitFor(() => expect(element.textContent).toBe('now'));
  // React starts the timer after the text is on the page.
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
  vi.advanceTimersByTime(5 * 60_000);
  await vi.waitFor(() => expect(element.textContent).toBe('5 minutes ago'));
  vi.setSystemTime(Date.now() + 53.7 * 60_000);
  vi.advanceTimersByTime(60_000);
  await vi.waitFor(() => expect(element.textContent).toBe('59 minutes ago'));
});

it('the ages in a list share one format, which takes long to make', async () => {
  provideDom();
  document.documentElement.lang = 'de';
  const made = vi.spyOn(Intl, 'RelativeTimeFormat');
  const element = render([1, 2, 3].map((key) => createElement(Ago, { key, at: Date.now() })));
  await vi.waitFor(() => expect(element.textContent).toBe('jetztjetztjetzt'));
  expect(made).toHaveBeenCalledTimes(1);
});
