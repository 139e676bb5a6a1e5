import type { TRPCClientError } from '@trpc/client';
import { afterEach } from 'vitest';
import { type CollaborationClient, createCollaborationClient } from '../../src/client/client.ts';
import type { AppRouter } from '../../src/features/index.ts';
import { eventually } from './eventually.ts';

/** An item as clients of tRPC get it. */
interface Tracked {
  id: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into items of every type
  data: any;
}

/** A subscription, and what has come of it so far. */
export interface Followed {
  items: Tracked[];
  types(): string[];
  /** How often it was connected. */
  starts: number;
  /** Why it ended, if it has. */
  failure: TRPCClientError<AppRouter> | undefined;
  close(): void;
}

type Name = 'comments' | 'notifications' | 'presence';

const open: Array<() => void> = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

/** Subscribes with a real client, and waits until it has started, or was refused. */
export async function followed(
  url: string,
  headers: Record<string, string>,
  name: Name,
  input: object,
  client: CollaborationClient = createCollaborationClient({ url, headers }),
): Promise<Followed> {
  const seen: Followed = {
    items: [],
    types: () => seen.items.map(({ data }) => data.type),
    starts: 0,
    failure: undefined,
    close: () => undefined,
  };
  const { changes } = client[name] as CollaborationClient['comments'];
  const subscription = changes.subscribe(input as never, {
    onStarted: () => seen.starts++,
    onData: (item) => seen.items.push(item),
    onError: (failure) => {
      seen.failure = failure;
    },
  });
  seen.close = () => subscription.unsubscribe();
  open.push(seen.close);
  await eventually(() => {
    if (seen.starts === 0 && !seen.failure) throw new Error('neither started nor refused');
  });
  return seen;
}
