import { expect, it, vi } from 'vitest';
import * as Y from 'yjs';
import { createAnchor, markText, type TextRange } from '../../src/client/anchors.ts';
import { provideDom } from '../support/dom.ts';
import { eventually } from '../support/eventually.ts';

provideDom();

function stubResizeObserver() {
  const observed = { observe: () => {}, disconnect: () => {} };
  vi.stubGlobal('ResizeObserver', function ResizeObserver() {
    return observed;
  });
}

it('a mark of text draws nothing after it was destroyed, even if a change of the page waited for the next frame', async () => {
  stubResizeObserver();
  const frames: FrameRequestCallback[] = [];
  vi.stubGlobal('requestAnimationFrame', (frame: FrameRequestCallback) => frames.push(frame));
  vi.stubGlobal('cancelAnimationFrame', (id: number) => delete frames[id - 1]);
  const text = new Y.Doc().getText('content');
  text.insert(0, 'A plan');
  const render = vi.fn(() => [undefined]);
  const element = document.body.appendChild(document.createElement('div'));
  const selected = () => [{ text, start: 0, end: 6 }];
  const marks = markText({ root: text, element, selected, render });
  element.append('A plan');
  await eventually(() => expect(frames).toHaveLength(1));
  const location = { anchor: createAnchor(selected()) };
  marks.show([{ annotationId: 'one', location }]);
  marks.destroy();
  const drawn = render.mock.calls.length;
  for (const frame of frames) frame?.(0);
  expect(render).toHaveBeenCalledTimes(drawn);
});

it('marks of comments and of pending suggestions stand at their own passages, whatever the order of their threads', () => {
  stubResizeObserver();
  const highlights = new Map<string, Set<Range>>();
  vi.stubGlobal('CSS', { highlights });
  vi.stubGlobal('Highlight', Set);
  const text = new Y.Doc().getText('content');
  text.insert(0, 'one two three four');
  const element = document.body.appendChild(document.createElement('p'));
  element.append(text.toString());
  const rangeOf = ({ start, end }: TextRange) => {
    const range = document.createRange();
    range.setStart(element.firstChild as Node, start);
    range.setEnd(element.firstChild as Node, end);
    return range;
  };
  const marks = markText({
    root: text,
    element,
    selected: () => [],
    render: (ranges) => ranges.map(rangeOf),
  });
  const anchorAt = (start: number, end: number) => createAnchor([{ text, start, end }]);
  const comment = (annotationId: string, start: number, end: number) => ({
    annotationId,
    location: { anchor: anchorAt(start, end) },
  });
  const suggestion = (status: string, start: number, end: number) => {
    const pieces = anchorAt(start, end).pieces.map((piece) => ({ ...piece, replacement: '2' }));
    return { annotationId: `${status} edit`, suggestion: { editorId: 'body', status, pieces } };
  };
  const threads = [
    comment('first', 0, 3),
    suggestion('pending', 4, 7),
    { annotationId: 'about the document' },
    suggestion('rejected', 8, 13),
    comment('last', 14, 18),
  ];
  marks.show(threads);
  const marked = (name: string) => [...(highlights.get(name) ?? [])].map(String);
  expect(marked('comment')).toEqual(['one', 'three', 'four']);
  expect(marked('suggestion')).toEqual(['two']);
  expect([...document.querySelectorAll('ins')].map((label) => label.textContent)).toEqual(['2']);

  marks.scrollTo('last');
  expect(marked('comment')).toEqual(['one', 'three']);
  expect(marked('comment-active')).toEqual(['four']);
  expect(marks.orphans.size).toBe(0);
  marks.destroy();
  expect([...highlights.values()].map(({ size }) => size)).toEqual([0, 0, 0]);
});
