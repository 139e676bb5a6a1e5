import { describe, expect, it } from 'vitest';
import { termKey } from '../../../src/features/memory/text/term-keys.ts';
import { termsOf } from '../../../src/features/memory/text/terms.ts';
import { sql } from '../../../src/platform/database/database.ts';
import { annotationsOf, userHeaders } from '../../support/annotations.ts';
import { dataOf, fresh, type Loose } from '../../support/answers.ts';
import { eventually } from '../../support/eventually.ts';
import { memoryOf } from '../../support/memory.ts';
import { startTestServer } from '../../support/server.ts';

const server = await startTestServer();
const annotations = annotationsOf(server);
const memory = memoryOf(server);

type Place = ReturnType<typeof annotations.place>;

const comment = (commentText: string, from: object = { userId: 'ada' }) => ({ commentText, from });

/** Ids of annotations are unique in the whole key. */
const idOf = (place: Place, name: string) => `${place.documentId}-${name}`;

const add = async (place: Place, annotation: object, name = 'a') =>
  dataOf(await annotations.add(place, [{ annotationId: idOf(place, name), ...annotation }]));

const update = async (place: Place, updatedData: object, names = ['a']) => {
  const annotationIds = names.map((name) => idOf(place, name));
  return dataOf(await annotations.call('update', { ...place, annotationIds, updatedData }));
};

/** Waits until this many judgments of the place are recorded, and returns them. */
async function learned(place: Place, count: number) {
  return eventually(async () => {
    const { results } = await memory.query(place);
    expect(results).toHaveLength(count);
    return results;
  });
}

describe('judgments are recorded automatically', () => {
  it('from each annotation and suggestion that is answered', async () => {
    const place = annotations.place();
    const resolvedByUserId = 'grace';
    for (const id of ['APPROVED', 'ACCEPTED', 'REJECTED']) {
      await add(place, { commentData: [comment(`Shorter headline, ${id}?`)] }, id);
      await update(place, { status: { id, type: 'terminal' }, resolvedByUserId }, [id]);
    }
    for (const status of ['accepted', 'rejected']) {
      const suggestion = { newText: 'Launch in June', status: 'pending', blockId: 'b7' };
      const commentData = [comment(`Later, ${status}?`)];
      await add(place, { type: 'suggestion', suggestion, commentData }, status);
      await update(place, { suggestion: { status }, resolvedByUserId }, [status]);
    }
    const judgments = await learned(place, 5);
    expect(judgments.at(-1)).toEqual({
      ...place,
      recordId: expect.any(String),
      query: 'Shorter headline, APPROVED?',
      decision: 'approved',
      reviewer: { userId: 'grace' },
      judgeType: 'human',
      createdAt: expect.any(Number),
    });
    expect(judgments.map(({ query, decision }: Loose) => [query, decision]).reverse()).toEqual([
      ['Shorter headline, APPROVED?', 'approved'],
      ['Shorter headline, ACCEPTED?', 'approved'],
      ['Shorter headline, REJECTED?', 'rejected'],
      ['Later, accepted?\nLaunch in June', 'approved'],
      ['Later, rejected?\nLaunch in June', 'rejected'],
    ]);
  });

  it('and deleted when some readers of the document may no longer see their annotation', async () => {
    dataOf(await server.call('/v2/workspace/apikeyconfig/update', { enablePrivateComments: true }));
    const place = annotations.place();
    const names = ['private', 'context', 'stays'];
    for (const name of names) await add(place, { commentData: [comment(name)] }, name);
    const approved = { status: { id: 'APPROVED', type: 'terminal' }, resolvedByUserId: 'grace' };
    await update(place, approved, names);
    await memory.add([{ ...place, query: 'added', decision: 'approved' }]);
    await learned(place, 4);
    await update(place, { visibility: { type: 'restricted', userIds: ['grace'] } }, ['private']);
    await update(place, { context: { access: { team: ['legal'] } } }, ['context']);
    const kept = await learned(place, 2);
    expect(kept.map(({ query }: Loose) => query).sort()).toEqual(['added', 'stays']);
    // Once everybody sees the annotation again, a new decision about it is recorded.
    const open = { visibility: { type: 'public' }, status: { id: 'OPEN', type: 'default' } };
    await update(place, open, ['private']);
    await update(place, approved, ['private']);
    await learned(place, 3);
  });

  it('once if one call answers both the annotation and its suggestion', async () => {
    const place = annotations.place();
    await add(place, { type: 'suggestion', suggestion: { newText: 'June', status: 'pending' } });
    const status = { id: 'ACCEPTED', type: 'terminal' };
    await update(place, { status, suggestion: { status: 'accepted' } });
    await add(place, {}, 'b');
    await update(place, { status }, ['b']);
    // The later judgment is there, so the earlier ones are recorded too.
    expect(await learned(place, 2)).toHaveLength(2);
  });

  it("with the decider's reply as the reason, and as an agent if an agent acts", async () => {
    const place = annotations.place();
    const agent = { agentId: 'checker', agentType: 'custom' };
    const replies = [
      comment('Use the new logo'),
      { ...comment('It breaks the guideline.', { userId: 'bot' }), agent },
      comment('What a pity'),
    ];
    await add(place, { commentData: replies });
    await update(place, { status: { id: 'REJECTED', type: 'terminal' }, resolvedByUserId: 'bot' });
    const [judgment] = await learned(place, 1);
    expect(judgment).toMatchObject({
      query: 'Use the new logo',
      reasoning: 'It breaks the guideline.',
      judgeType: 'agent',
      reviewer: { userId: 'bot' },
    });
  });

  it('not from what is merely resolved, has no content, or is hidden from a reader of the document', async () => {
    dataOf(await server.call('/v2/workspace/apikeyconfig/update', { enablePrivateComments: true }));
    const place = annotations.place();
    const status = { id: 'APPROVED', type: 'terminal' };
    await add(place, { commentData: [comment('Done?')] }, 'resolved');
    await add(place, { type: 'suggestion', suggestion: { newText: 'June' } }, 'suggestion');
    await update(place, { status: { id: 'RESOLVED' } }, ['resolved', 'suggestion']);
    for (const [name, annotation] of Object.entries({
      empty: { commentData: [comment('')] },
      restricted: { visibility: { type: 'restricted', userIds: ['grace'] } },
      private: { visibility: { type: 'organizationPrivate' } },
      context: { context: { access: { team: ['legal'] } } },
      last: { commentData: [comment('The last one')] },
    })) {
      await add(place, annotation, name);
      await update(place, { status }, [name]);
    }
    // The last one is there, so the earlier ones would be, too.
    expect(await learned(place, 1)).toMatchObject([{ query: 'The last one' }]);
  });

  it('not from authors who decide about their own items, with any token', async () => {
    const place = annotations.place();
    const text = comment('Let me have a yacht', { userId: 'ada' });
    const suggestion = { newText: 'Yacht', status: 'pending' };
    await add(place, { commentData: [text] });
    await add(place, { type: 'suggestion', suggestion, commentData: [text] }, 'suggested');
    const ada = await userHeaders(server, 'ada', [
      { type: 'organization', id: place.organizationId },
    ]);
    const approved = { status: { id: 'APPROVED', type: 'terminal' }, resolvedByUserId: 'grace' };
    const update = (name: string, updatedData: object, headers?: Record<string, string>) =>
      annotations.call(
        'update',
        { ...place, annotationIds: [idOf(place, name)], updatedData },
        headers,
      );
    dataOf(await update('a', approved, ada));
    dataOf(await update('suggested', { suggestion: { status: 'accepted' } }, ada));
    await add(place, { commentData: [text] }, 'by-key');
    dataOf(await update('by-key', { ...approved, resolvedByUserId: 'ada' }));
    await add(place, { commentData: [comment('Something else')] }, 'last');
    dataOf(await update('last', approved));
    expect(await learned(place, 1)).toMatchObject([
      { query: 'Something else', reviewer: { userId: 'grace' } },
    ]);
  });

  it('and support suggestions like other judgments', async () => {
    const place = annotations.place();
    const names = ['first', 'second', 'third'];
    for (const name of names) {
      const commentText = `Replace the zeppelin photograph, ${name}`;
      await add(place, { commentData: [comment(commentText)] }, name);
    }
    const status = { id: 'REJECTED', type: 'terminal' };
    await update(place, { status, resolvedByUserId: 'grace' }, names);
    await learned(place, 3);
    const { primary } = await memory.suggest('Replace this zeppelin photograph', place);
    expect(primary).toMatchObject({ recommendation: 'reject', basedOn: 3, scope: 'document' });
  });
});

it('the judgments of an organization are deleted with it, and those of a later one with the same id stay', async () => {
  const query = 'Repaint the aquarium';
  const judgment = (organizationId: string) => ({ query, decision: 'approved', organizationId });
  const [gone, kept] = [fresh('org'), fresh('org')];
  const organizations = [gone, kept].map((organizationId) => ({ organizationId }));
  dataOf(await server.call('/v2/organizations/add', { organizations }));
  await memory.add([...Array(3).fill(judgment(gone)), ...Array(2).fill(judgment(kept))]);
  const deletion = { organizationIds: [gone] };
  dataOf(await server.call('/v2/organizations/delete', deletion));
  const [later] = await memory.add([judgment(gone)]);
  await eventually(async () => {
    const { results } = await memory.query({ organizationId: gone });
    expect(results.map(({ recordId }: Loose) => recordId)).toEqual([later]);
  });
  expect(await memory.search(query)).toHaveLength(3);
  const { apiKey: tenantId } = server.quickstart;
  const [term = ''] = termsOf('aquarium').keys();
  const [counted] = await server.app.services.db.query<object>(sql`
    SELECT judgments FROM memory_terms
    WHERE tenant_id = ${tenantId} AND term = ${termKey(tenantId, null, term)}`);
  expect(counted).toEqual({ judgments: 3 });
});
