import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bodyProblem } from '../../src/api/body/body-shape.ts';
import { BodyReceiver } from '../../src/api/body/receive-body.ts';
import { processorMsOf } from '../support/processor-time.ts';

const problemOf = (text: string) => bodyProblem(Buffer.from(text));
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const named = (length: number) => `{"a":"${'x'.repeat(length)}","${'x'.repeat(length)}" :1}`;

describe('the structure of a body', () => {
  it('is accepted if it is neither deep nor has very many values, whatever its text', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary', maxDepth: 3 }), (value) => {
        expect(problemOf(JSON.stringify(value))).toBeUndefined();
      }),
    );
    expect(problemOf(JSON.stringify({ a: '[{,"\\'.repeat(200_000) }))).toBeUndefined();
    expect(problemOf(`{"a":${nested(99)}}`)).toBeUndefined();
    expect(problemOf(`[${'1,'.repeat(100_000)}1]`)).toBeUndefined();
    expect(problemOf(named(2_000_000))).toBeUndefined();
  });

  it('may be 100 levels deep, and a deeper field is named', () => {
    expect(problemOf(nested(101))?.message).toContain('100 levels');
    expect(problemOf(`{"data":{"x":1,"some \\"field":${nested(99)}}}`)).toMatchObject({
      details: { issues: [{ path: 'some "field', message: 'is nested too deeply' }] },
    });
    expect(problemOf(`{"data":[["x",${nested(100)}]]}`)?.details).toBeUndefined();
  });

  it.each([
    ['120,000 values', `[${'1,'.repeat(120_001)}`],
    ['120,000 values', `[${'[],'.repeat(120_001)}`],
    ['120,000 values', `[${'{},'.repeat(120_001)}`],
    ['120,000 values', `[${'"",'.repeat(120_001)}`],
    ['40,000 fields', `{${'"a":1,'.repeat(40_001)}`],
    ['2 MB', named(2_200_000)],
  ])('may have %s at most', (limit, text) => {
    expect(problemOf(text)?.message).toContain(limit);
  });

  it('is scanned to its end if it is malformed', () => {
    for (const text of ['"', '"\\', '{"a', '{"a\\', '{"data":{"', '[', ',']) {
      expect(problemOf(text)).toBeUndefined();
    }
  });
});

it('a body is received unchanged and in linear time, however small its chunks are', () => {
  const bytes = 500_000;
  const limits = { bytes, totalBytes: bytes, onAborted: () => undefined };
  const request = Object.assign(new EventEmitter(), { headers: {} }) as IncomingMessage;
  const content = Buffer.from(Array.from({ length: bytes }, (_, at) => at % 251));
  let received: Buffer | undefined;
  new BodyReceiver(limits).receive(request, (_failure, body) => {
    received = body;
  });
  const tookMs = processorMsOf(() => {
    for (let at = 0; at < bytes; at += 10) request.emit('data', content.subarray(at, at + 10));
    request.emit('end');
  });
  expect(received?.equals(content)).toBe(true);
  expect(tookMs).toBeLessThan(500);
});
