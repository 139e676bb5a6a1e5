import { CollaborationError } from './error.ts';

/**
 * Takes the items of a subscription until the signal fires. When the server cannot go on after the
 * last item, since it keeps events for some days only, it starts over after `forget`.
 *
 * @returns the failure that ended it otherwise, such as the end of access
 */
export async function follow<Item>(
  changes: () => AsyncIterable<{ data: Item }>,
  { take, forget }: { take(item: Item): void; forget(): void },
): Promise<CollaborationError | undefined> {
  for (;;) {
    try {
      for await (const { data } of changes()) take(data);
      return undefined;
    } catch (error) {
      forget();
      if (!(error instanceof CollaborationError)) throw error;
      if (error.status !== 'OUT_OF_RANGE') return error;
    }
  }
}
