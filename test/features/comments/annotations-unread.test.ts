import { beforeAll, expect, it } from 'vitest';
import { annotationsOf, type Place, privateKey } from '../../support/annotations.ts';
import { dataOf } from '../../support/answers.ts';
import { testServer } from '../../support/server.ts';

const clock = { time: Date.UTC(2027, 0, 5, 9), now: () => clock.time++ };

let headers: Record<string, string>;
let comments: ReturnType<typeof annotationsOf>;
const server = testServer({}, { clock });
beforeAll(async () => {
  headers = await privateKey(server);
  comments = annotationsOf(server, headers);
});

const call = async (operation: string, data: object) =>
  dataOf(await comments.call(operation, data, headers));
const unread = async (place: Place, userId: string) =>
  (await call('count/get', { ...place, userId }))[place.documentId].unread;

it("an annotation is unread from another user's last comment until it is read", async () => {
  const place = comments.place();
  const target = { ...place, annotationId: place.documentId };
  await comments.add(place, [{ annotationId: target.annotationId }]);
  expect([await unread(place, 'ada'), await unread(place, 'grace')]).toEqual([0, 1]);
  await call('read', { ...target, userId: 'grace' });
  expect(await unread(place, 'grace')).toBe(0);
  const commentData = [{ commentText: 'More', from: { userId: 'linus' } }];
  await call('comments/add', { ...target, commentData });
  expect([await unread(place, 'ada'), await unread(place, 'grace')]).toEqual([1, 1]);
  // Deleting the new comment makes Ada's the last one again.
  await call('comments/delete', { ...target, commentIds: [2] });
  expect([await unread(place, 'ada'), await unread(place, 'grace')]).toEqual([0, 0]);
});

it('a hidden annotation is not unread', async () => {
  const place = comments.place();
  const visibility = { type: 'restricted', userIds: ['grace'] };
  await comments.add(place, [{ visibility }, {}]);
  expect([await unread(place, 'grace'), await unread(place, 'linus')]).toEqual([2, 1]);
});
