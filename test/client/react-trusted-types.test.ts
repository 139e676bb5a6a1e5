import { createElement } from 'react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { pendingComment } from '../../src/client/core/optimistic.ts';
import { provideDom, render } from '../support/dom.ts';
import { eventually } from '../support/eventually.ts';

/** A browser whose page has `require-trusted-types-for 'script'`: it parses what a policy has made, and no text. */
class TrustedHtml {
  readonly html: string;
  constructor(html: string) {
    this.html = html;
  }
}

beforeAll(provideDom);
beforeEach(() => {
  vi.resetModules();
  const Parser = DOMParser;
  class StrictParser {
    parseFromString(html: unknown) {
      if (!(html instanceof TrustedHtml)) throw new TypeError("This requires 'TrustedHTML'.");
      return new Parser().parseFromString(html.html, 'text/html');
    }
  }
  vi.stubGlobal('DOMParser', StrictParser);
});
afterEach(() => {
  vi.unstubAllGlobals();
  // Other files would share what the module remembers of this page.
  vi.resetModules();
});

async function showComment(): Promise<HTMLElement> {
  const { CommentText } = await import('../../src/client/react/components/comment-text.tsx');
  const comment = pendingComment(1, { text: 'Now?', html: '<b>Now</b>?' }, { userId: 'ada' });
  const element = render(createElement(CommentText, { comment }));
  await eventually(() => expect(element.textContent).toBe('Now?'));
  return element;
}

it('a comment has its formats where the page allows the policy `collaboration`', async () => {
  const createPolicy = vi.fn(
    (_name: string, { createHTML }: { createHTML(html: string): string }) => ({
      createHTML: (html: string) => new TrustedHtml(createHTML(html)),
    }),
  );
  vi.stubGlobal('trustedTypes', { createPolicy });
  const element = await showComment();
  expect(element.querySelector('b')?.textContent).toBe('Now');
  expect(createPolicy.mock.calls.map(([name]) => name)).toEqual(['collaboration']);
});

it('a comment is plain text where the page allows no policy', async () => {
  const createPolicy = () => {
    throw new TypeError('Policy "collaboration" disallowed.');
  };
  vi.stubGlobal('trustedTypes', { createPolicy });
  expect((await showComment()).querySelector('b')).toBeNull();
});
