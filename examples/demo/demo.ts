import { CollaborationError, createClient } from '../../src/client/index.ts';
import { type CollaborationClient, createServerClient } from '../../src/client/server.ts';

/** How to reach the server, and the API key to fill with data. */
export interface DemoTarget {
  url: string;
  apiKey: string;
  authToken: string;
}

/** What every step of the demo works with. */
export interface Demo {
  /** A client with the API key. */
  client: CollaborationClient;
  /** Returns a client with the token of one user. */
  as(userId: string): CollaborationClient;
  /** Epoch milliseconds. */
  now: number;
  /** Whether an earlier run was interrupted, so that some of the data may already exist. */
  isContinued: boolean;
  /** The number of annotations to write. */
  annotations: number;
}

export const DAY_MS = 86_400_000;

/** How many calls run at once. An API key may have a few more in flight. */
const CONCURRENCY = 4;

export function openDemo(
  target: DemoTarget,
  facts: Pick<Demo, 'isContinued' | 'annotations'>,
): Demo {
  const client = createServerClient(target);
  const users = new Map<string, CollaborationClient>();
  const as = (userId: string) => {
    const existing = users.get(userId);
    if (existing) return existing;
    const user = createClient({
      url: target.url,
      token: () => client.auth.generateToken({ userId }),
    });
    users.set(userId, user);
    return user;
  };
  return { client, as, now: Date.now(), ...facts };
}

/** Runs work for all items, a few at a time. */
export async function forEachConcurrently<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

/** @throws Error with the first failed outcome, unless it failed because the item already exists */
export function requireOutcomes(
  outcomes: Record<string, { success: boolean; message: string }>,
): void {
  for (const [id, { success, message }] of Object.entries(outcomes)) {
    if (!success && !/exists/.test(message)) throw new Error(`${id}: ${message}`);
  }
}

/** Splits a list into lists of at most `size`. */
export const inBatches = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, n) =>
    items.slice(n * size, (n + 1) * size),
  );

/** Waits for a creation. @returns false if the item already exists, from an earlier run that was interrupted */
export async function unlessItExists(creation: Promise<unknown>): Promise<boolean> {
  try {
    await creation;
    return true;
  } catch (error) {
    if (error instanceof CollaborationError && error.status === 'ALREADY_EXISTS') return false;
    throw error;
  }
}
