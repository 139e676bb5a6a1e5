import type { TRPCClientError } from '@trpc/client';
import type { ContractRouter } from '../../src/api/contract-router.ts';
import { eventually } from './eventually.ts';
import { createTrpcClient, type TrpcClient } from './trpc-client.ts';
import { whenTestEnds } from './when-file-ends.ts';

/** The path of a query or a subscription over plain HTTP. */
export const addressOf = (name: string, input: object): string =>
  `/trpc/${name}?input=${encodeURIComponent(JSON.stringify({ json: input }))}`;

/** Reads the text of an answer up to this, and leaves the rest. */
export async function readUntil({ body }: Response, end: RegExp): Promise<string> {
  let text = '';
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString();
    if (end.test(text)) break;
  }
  return text;
}

/** An item as tRPC clients receive it. */
interface Tracked {
  id: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into items of every type
  data: any;
}

/** A subscription with everything that it received so far. */
export type Subscription = Awaited<ReturnType<typeof subscribe>>;

type Name = 'comments' | 'notifications' | 'presence';

/** Subscribes with a real client, and waits until the subscription started or was refused. */
export async function subscribe(
  url: string,
  headers: Record<string, string>,
  name: Name,
  input: object,
) {
  const seen = {
    items: [] as Tracked[],
    types: (): string[] => seen.items.map(({ data }) => data.type),
    /** How often it connected. */
    starts: 0,
    /** The failure that ended it, if any. */
    failure: undefined as TRPCClientError<ContractRouter> | undefined,
    close: (): void => undefined,
  };
  const { changes } = createTrpcClient({ url, headers })[name] as TrpcClient['comments'];
  const subscription = changes.subscribe(input as never, {
    onStarted: () => seen.starts++,
    onData: (item) => seen.items.push(item),
    onError: (failure) => {
      seen.failure = failure;
    },
  });
  seen.close = () => subscription.unsubscribe();
  whenTestEnds(seen.close);
  await eventually(() => {
    if (seen.starts === 0 && !seen.failure) throw new Error('neither started nor refused');
  });
  return seen;
}
