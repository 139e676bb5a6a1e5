import type { PoolClient } from 'pg';

/** Buffers writes to the connection until the current turn of the event loop is over. */
export function sendTogether({ connection: { stream } }: PoolClient): void {
  stream.cork();
  process.nextTick(() => stream.uncork());
}
