import { beforeAll, describe, expect, it } from 'vitest';
import { annotationsOf } from '../../support/annotations.ts';
import { dataOf, fresh } from '../../support/answers.ts';
import { restFailure } from '../../support/operations.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let annotations: ReturnType<typeof annotationsOf>;
beforeAll(async () => {
  server = await startTestServer();
  annotations = annotationsOf(server);
});

const FULL = /holds at most 2 MB/;
const from = { userId: 'ada' };
/** Each comment has 128 KB. */
const comments = (count: number) =>
  Array.from({ length: count }, () => ({
    from,
    commentText: 'x'.repeat(65_000),
    commentHtml: 'y'.repeat(65_000),
  }));

async function annotationWith(count: number) {
  const place = annotations.place();
  const annotationId = fresh('annotation');
  await annotations.add(place, [{ annotationId, commentData: comments(count) }]);
  return { ...place, annotationId };
}

describe('the limit of 2 MB for one annotation', () => {
  it('applies to comments that are added', async () => {
    const target = await annotationWith(15);
    const more = { ...target, commentData: comments(2) };
    expect(restFailure(await annotations.call('comments/add', more))).toMatchObject({
      status: 'INVALID_ARGUMENT',
      message: expect.stringMatching(FULL),
    });
    await annotations.call('comments/add', {
      ...target,
      commentData: [{ from, commentText: 'a' }],
    });
    const [annotation] = await annotations.get({
      organizationId: target.organizationId,
      annotationIds: [target.annotationId],
    });
    expect(annotation.comments).toHaveLength(16);
  });

  it('applies to comments that are updated, while comments may still be deleted', async () => {
    const target = await annotationWith(15);
    const small = Array.from({ length: 3 }, () => ({ from, commentText: 'a' }));
    await annotations.call('comments/add', { ...target, commentData: small });
    const [commentId, ...others] = dataOf(await annotations.call('comments/get', target)).map(
      (comment: { commentId: number }) => comment.commentId,
    );
    const grown = others.slice(-3).map((id: number) => ({ commentId: id, ...comments(1)[0] }));
    expect(
      restFailure(await annotations.call('comments/update', { ...target, commentData: grown })),
    ).toMatchObject({ message: expect.stringMatching(FULL) });
    const removed = await annotations.call('comments/delete', {
      ...target,
      commentIds: [commentId],
    });
    expect(removed.status).toBe(200);
  });

  it('applies to a new annotation, and the others of the call are added', async () => {
    const place = annotations.place();
    const [full, small] = [fresh('annotation'), fresh('annotation')];
    const answer = await annotations.add(place, [
      { annotationId: full, commentData: comments(17) },
      { annotationId: small },
    ]);
    expect(dataOf(answer)).toMatchObject({
      [full]: { success: false, message: expect.stringMatching(FULL) },
      [small]: { success: true },
    });
  });
});
