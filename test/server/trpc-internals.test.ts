import { initTRPC, TRPCError } from '@trpc/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  callProcedure,
  definitionOf,
  failed,
  hasProcedure,
  proceduresOf,
  replaceOutput,
  succeeded,
} from '../../src/api/trpc-internals.ts';
import { post, startTestServer } from '../support/server.ts';

/** These fail when an upgrade of tRPC changes what `trpc-internals.ts` relies on. */

const t = initTRPC.context<{ who: string }>().meta<{ path: string }>().create();
const Input = z.object({ count: z.number().default(1) });
const Output = z.object({ text: z.string() });
const greet = t.procedure
  .meta({ path: '/greet' })
  .input(Input)
  .output(Output)
  .query(({ ctx, input, path }) => ({ text: `${path} ${ctx.who} ${input.count}`, more: true }));
const small = t.router({
  greet,
  inner: t.router({ watch: t.procedure.subscription(async function* () {}) }),
});

describe('a procedure', () => {
  it('is found by its dotted name', () => {
    expect(proceduresOf(small)).toEqual([
      ['greet', small.greet],
      ['inner.watch', small.inner.watch],
    ]);
    const names = ['greet', 'inner.watch', 'inner', 'toString'];
    expect(names.map((name) => hasProcedure(small, name))).toEqual([true, true, false, false]);
  });

  it('has the type, the meta and the schemas that it was built with', () => {
    const { type, meta, inputs, output } = definitionOf(greet);
    expect([type, meta]).toEqual(['query', { path: '/greet' }]);
    expect(inputs[0]).toBe(Input);
    expect(inputs.length).toBe(1);
    expect(output).toBe(Output);
    expect(definitionOf(small.inner.watch).type).toBe('subscription');
  });

  it('gives what createCaller gives when it is called directly', async () => {
    const call = (input: unknown) =>
      callProcedure(greet, { ctx: { who: 'ada' }, name: 'greet', input: () => input });
    const caller = small.createCaller({ who: 'ada' });
    expect(await call({})).toEqual({ text: 'greet ada 1' });
    expect(await call({})).toEqual(await caller.greet({}));
    const refused: unknown = await call({ count: 'two' }).catch((error) => error);
    expect(refused).toBeInstanceOf(TRPCError);
    expect(refused).toMatchObject({ code: 'BAD_REQUEST', cause: expect.any(z.ZodError) });
  });

  it('replaces the schema of the output, whose method parse alone checks a value', async () => {
    const replace = (schema: z.ZodType) =>
      Object.assign(schema.clone(), { parse: async (value: unknown) => ({ replaced: value }) });
    const replaced = replaceOutput(t.procedure, replace)
      .input(z.number())
      .output(z.unknown())
      .query(({ input }) => input);
    const answer = await callProcedure(replaced, { ctx: {}, name: '', input: () => 1 });
    expect(answer).toEqual({ replaced: 1 });
  });
});

describe('a middleware that does not call the next one', () => {
  const error = new TRPCError({ code: 'CONFLICT' });
  const answering = (result: object) =>
    t.procedure
      .use(async ({ next }) => {
        const own = await next();
        expect(own.marker).toBe(succeeded(1).marker);
        return own;
      })
      .use(async () => result as never)
      .query(() => 'never reached');
  const call = (result: object) =>
    callProcedure(answering(result), { ctx: {}, name: '', input: () => undefined });

  it('answers with its own data', async () => {
    expect(await call(succeeded({ own: true }))).toEqual({ own: true });
  });

  it('fails with its own error', async () => {
    await expect(call(failed(error))).rejects.toBe(error);
  });
});
const server = await startTestServer();

it.each(['constructor', 'prototype', 'toString'])(
  'answers to typed clients may have the key %s',
  async (userId) => {
    const input = { organizationId: 'acme', users: [{ userId, [userId]: 'own field' }] };
    const { status, body } = await post(
      `${server.url}/trpc/users.add`,
      { json: input },
      { ...server.keyHeaders, 'idempotency-key': `key-${userId}` },
    );
    expect(status).toBe(200);
    expect(body.result.data.json[userId]).toMatchObject({ success: true, id: userId });
  },
);

describe('large inputs, which are parsed before tRPC sees them, arrive', () => {
  const text = 'x'.repeat(4_000);
  const organizations = Array.from({ length: 50 }, (_, at) => ({ organizationId: `o${at}`, text }));
  const send = async (path: string, body: object) => {
    const answer = await post(`${server.url}/trpc/${path}`, body, server.keyHeaders);
    return answer.body;
  };

  it('in a single call', async () => {
    const answer = await send('organizations.update', { json: { organizations } });
    expect(Object.keys(answer.result.data.json)).toHaveLength(50);
  });

  it('in a batch, each at its index', async () => {
    const [many, none, few] = await send(
      'organizations.update,organizations.update,organizations.update?batch=1',
      { 0: { json: { organizations } }, 2: { json: { organizations: organizations.slice(0, 2) } } },
    );
    expect(Object.keys(many.result.data.json)).toHaveLength(50);
    expect(none.error.json.data.status).toBe('INVALID_ARGUMENT');
    expect(Object.keys(few.result.data.json)).toHaveLength(2);
  });
});
