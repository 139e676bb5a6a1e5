import { describe, expect, it } from 'vitest';
import { annotationsOf } from '../../support/annotations.ts';
import { dataOf, fresh } from '../../support/answers.ts';
import { restFailure } from '../../support/operations.ts';
import { testServer } from '../../support/server.ts';

const server = testServer();
const annotations = annotationsOf(server);

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
  const failure = async (operation: string, data: object) =>
    restFailure(await annotations.call(operation, data));
  const refusal = { status: 'INVALID_ARGUMENT', message: expect.stringMatching(FULL) };

  it('applies to comments that are added', async () => {
    const target = await annotationWith(15);
    const more = { ...target, commentData: comments(2) };
    expect(await failure('comments/add', more)).toMatchObject(refusal);
    const small = { ...target, commentData: [{ from, commentText: 'a' }] };
    dataOf(await annotations.call('comments/add', small));
  });

  it('applies to comments that are updated, while comments may still be deleted', async () => {
    const target = await annotationWith(15);
    const small = Array.from({ length: 3 }, () => ({ from, commentText: 'a' }));
    await annotations.call('comments/add', { ...target, commentData: small });
    const grown = [16, 17, 18].map((commentId) => ({ commentId, ...comments(1)[0] }));
    const change = { ...target, commentData: grown };
    expect(await failure('comments/update', change)).toMatchObject(refusal);
    dataOf(await annotations.call('comments/delete', { ...target, commentIds: [1] }));
  });

  it('applies to a new annotation, and the others of the call are added', async () => {
    const [full, small] = [fresh('annotation'), fresh('annotation')];
    const answer = await annotations.add(annotations.place(), [
      { annotationId: full, commentData: comments(17) },
      { annotationId: small },
    ]);
    expect(dataOf(answer)).toMatchObject({
      [full]: { success: false, message: expect.stringMatching(FULL) },
      [small]: { success: true },
    });
  });
});
