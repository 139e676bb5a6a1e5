import { expect, it, vi } from 'vitest';
import * as Y from 'yjs';
import { createAnchor, markText } from '../../src/client/anchors.ts';
import { provideDom } from '../support/dom.ts';

provideDom();

it('a mark of text draws nothing after it was destroyed, even if a change of the page waited for the next frame', async () => {
  const observed = { observe: () => {}, disconnect: () => {} };
  vi.stubGlobal('ResizeObserver', function ResizeObserver() {
    return observed;
  });
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
  await vi.waitFor(() => expect(frames).toHaveLength(1));
  const location = { anchor: createAnchor(selected()) };
  marks.show([{ annotationId: 'one', location }]);
  marks.destroy();
  const drawn = render.mock.calls.length;
  for (const frame of frames) frame?.(0);
  expect(render).toHaveBeenCalledTimes(drawn);
});
