import { ContentDoc, decodeUpdate, Item } from 'yjs';
import type { ClientClocks } from './client-ids.ts';
import { valuesIn, weightOf } from './value-weight.ts';

/** Facts about an update that are checked before it is applied. */
export interface UpdateFacts {
  clocks: ClientClocks;
  /** The items that embed other documents. */
  subdocuments: ItemId[];
  /** The weight of the heaviest value (value-weight.ts). Yjs cannot pause while it reads or writes a value. */
  maxValueWeight: number;
}

interface ItemId {
  client: number;
  clock: number;
}

/**
 * Reads the facts about an update. If a forged update lists a client twice, its greatest clock counts.
 *
 * @throws Error when the update is malformed, or a value is nested too deeply.
 */
export function readUpdateFacts(update: Uint8Array): UpdateFacts {
  const clocks = new Map<number, number>();
  const subdocuments: ItemId[] = [];
  let maxValueWeight = 0;
  for (const struct of decodeUpdate(update).structs) {
    const { client, clock } = struct.id;
    clocks.set(client, Math.max(clocks.get(client) ?? 0, clock + struct.length));
    if (struct instanceof Item && struct.content instanceof ContentDoc) {
      subdocuments.push({ client, clock });
    }
    for (const value of valuesIn(struct))
      maxValueWeight = Math.max(maxValueWeight, weightOf(value));
  }
  return { clocks, subdocuments, maxValueWeight };
}
