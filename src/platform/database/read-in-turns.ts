import type { PoolClient } from 'pg';
import { nextChunk } from '../event-loop.ts';

/** A piece of an answer from which more is to come at once. */
const LARGE_CHUNK = 32 * 1024;

/**
 * Takes a long answer of the database one piece at a time, with other work in between: the rows of
 * each piece are parsed as it arrives, and megabytes of them can be there at once.
 */
export function readInTurns({ connection: { stream } }: PoolClient): void {
  stream.on('data', (chunk: Buffer) => {
    if (chunk.length < LARGE_CHUNK) return;
    stream.pause();
    setImmediate(async () => {
      await nextChunk();
      stream.resume();
    });
  });
}
