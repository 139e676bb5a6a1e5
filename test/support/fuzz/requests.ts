import fc from 'fast-check';
import superjson from 'superjson';
import type { AuthLevel } from '../../../src/api/operation-meta.ts';
import type { Operation } from '../../../src/server/rest.ts';
import { garbled, spoiled } from './mutations.ts';
import { inputsOf } from './schema-inputs.ts';

/** A request over HTTP with the credentials of a level or without any. */
export interface FuzzRequest {
  method: string;
  path: string;
  as: AuthLevel | 'user' | 'nobody';
  headers: Record<string, string>;
  body: string | undefined;
}

const JSON_TYPE = { 'content-type': 'application/json' };

const headers = fc.oneof(
  { weight: 12, arbitrary: fc.constant({}) },
  fc.constantFrom<Record<string, string>>(
    { 'idempotency-key': 'again' },
    { 'idempotency-key': 'x'.repeat(300) },
    { origin: 'https://example.com' },
    { origin: 'null' },
    { authorization: 'Bearer e30.e30.e30' },
    { 'x-request-id': '"><x' },
    { 'content-type': 'application/json; charset=latin1' },
    { 'content-type': 'text/plain' },
    { accept: 'application/jsonl' },
    { 'trpc-accept': 'application/jsonl' },
    { 'last-event-id': '0' },
    { 'x-http-method-override': 'DELETE' },
  ),
);

/** Requests to any operation: most with valid input, many with invalid input. */
export function requestsTo(operations: Operation[]): fc.Arbitrary<FuzzRequest> {
  const all = operations.map((operation) => ({
    operation,
    inputs: spoiled(inputsOf(operation)),
  }));
  return fc.constantFrom(...all).chain(({ operation, inputs }) => {
    const sent = fc.oneof(
      { weight: 5, arbitrary: overRest(operation, inputs) },
      { weight: 3, arbitrary: overTrpc(operation, inputs) },
      { weight: 1, arbitrary: asBatch(operation, inputs) },
      { weight: 1, arbitrary: inAddress(operation, inputs) },
    );
    const callers = fc.oneof(
      { weight: 12, arbitrary: fc.constant(operation.meta.level) },
      { weight: operation.meta.userToken ? 8 : 1, arbitrary: fc.constant('user' as const) },
      fc.constantFrom<FuzzRequest['as']>('nobody', 'admin', 'workspace', 'apiKey'),
    );
    return fc
      .tuple(sent, callers, headers)
      .map(([request, as, more]) => ({ ...request, as, headers: { ...JSON_TYPE, ...more } }));
  });
}

type Sent = Pick<FuzzRequest, 'method' | 'path' | 'body'>;

const methods = fc.oneof(
  { weight: 30, arbitrary: fc.constant('POST') },
  fc.constantFrom('GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'PROPFIND'),
);

/** Serialized input, which is not always JSON. */
export const written = (bodies: fc.Arbitrary<unknown>): fc.Arbitrary<string> => {
  const texts = bodies.map((body) => JSON.stringify(body) ?? '');
  return fc.oneof({ weight: 12, arbitrary: texts }, garbled(texts));
};

const overRest = ({ meta }: Operation, inputs: fc.Arbitrary<unknown>): fc.Arbitrary<Sent> =>
  fc
    .tuple(methods, written(inputs.map((data) => ({ data }))))
    .map(([method, body]) => ({ method, path: meta.path, body }));

const paths = fc.constantFrom(
  'organizationId',
  'data',
  'a.b',
  '0',
  '',
  '__proto__.x',
  'ids.100000000',
);
const notes = fc.constantFrom(
  'undefined',
  'Date',
  'map',
  'set',
  'bigint',
  'regexp',
  'URL',
  'Error',
);
/** The superjson annotations beside the JSON of a typed client. */
const metas = fc.record(
  {
    values: fc.oneof(
      fc.dictionary(paths, fc.tuple(notes)),
      fc.dictionary(paths, fc.tuple(notes, fc.dictionary(paths, fc.tuple(notes)))),
      fc.jsonValue({ maxDepth: 2 }),
    ),
    referentialEqualities: fc.oneof(
      fc.dictionary(paths, fc.array(paths, { maxLength: 3 })),
      fc.jsonValue({ maxDepth: 2 }),
    ),
    v: fc.constantFrom(0, 1, 'x'),
  },
  { requiredKeys: [] },
);

/** Input as a typed client serializes it, and with annotations that no client would send. */
const transformed = (inputs: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 3, arbitrary: inputs.map(serialized) },
    fc.tuple(inputs, metas).map(([json, meta]) => ({ json, meta })),
  );

/** Superjson refuses keys that could reach a prototype. A hostile client does not use superjson. */
function serialized(input: unknown): unknown {
  try {
    return superjson.serialize(input);
  } catch {
    return { json: input };
  }
}

const overTrpc = ({ name }: Operation, inputs: fc.Arbitrary<unknown>): fc.Arbitrary<Sent> =>
  fc
    .tuple(methods, written(transformed(inputs)))
    .map(([method, body]) => ({ method, path: `/trpc/${name}`, body }));

const asBatch = ({ name }: Operation, inputs: fc.Arbitrary<unknown>): fc.Arbitrary<Sent> =>
  fc.array(transformed(inputs), { minLength: 1, maxLength: 5 }).map((calls) => ({
    method: 'POST',
    path: `/trpc/${calls.map(() => name).join(',')}?batch=1`,
    body: JSON.stringify({ ...calls }),
  }));

const inAddress = ({ name }: Operation, inputs: fc.Arbitrary<unknown>): fc.Arbitrary<Sent> =>
  fc.tuple(fc.constantFrom('GET', 'HEAD'), written(transformed(inputs))).map(([method, input]) => ({
    method,
    path: `/trpc/${name}?input=${encodeURIComponent(input.toWellFormed())}`.slice(0, 12_000),
    body: undefined,
  }));
