import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { BodyReceiver } from '../../../src/api/body/receive-body.ts';
import { processorMsOf } from '../../support/processor-time.ts';

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
