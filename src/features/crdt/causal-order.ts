import * as Y from 'yjs';

export type Struct = ReturnType<typeof Y.decodeUpdate>['structs'][number];

/**
 * Orders the items of an update so that each follows the items that it refers to, and a document
 * can integrate them in parts. Yjs writes items client by client. For each part it would set aside,
 * and compare again, all items that refer to a client of a later part.
 */
export function inCausalOrder(structs: readonly Struct[]): Struct[] {
  const queues = new Map<number, Queue>();
  for (const [client, own] of Map.groupBy(structs, (struct) => struct.id.client)) {
    queues.set(client, { client, structs: own, at: 0 });
  }
  const ordered: Struct[] = [];
  for (const queue of queues.values()) drain(queue, queues, ordered);
  return ordered;
}

/** The remaining items of one client, in the order of their clocks. */
interface Queue {
  client: number;
  structs: Struct[];
  at: number;
}

interface Visit {
  queue: Queue;
  /** How many items were ordered when this visit began. */
  since: number;
}

/** Orders all items of one client, each after the items that it refers to. */
function drain(first: Queue, queues: ReadonlyMap<number, Queue>, ordered: Struct[]): void {
  const visits: Visit[] = [{ queue: first, since: ordered.length }];
  const entered = new Set([first.client]);
  let mustTake = false;
  for (let visit = visits.at(-1); visit; visit = visits.at(-1)) {
    const { queue, since } = visit;
    const struct = queue.structs[queue.at];
    const missing = struct && !mustTake ? missingOf(struct, queues) : undefined;
    if (struct && !missing) {
      ordered.push(struct);
      queue.at++;
      mustTake = false;
    } else if (struct && missing && !entered.has(missing.client)) {
      visits.push({ queue: missing, since: ordered.length });
      entered.add(missing.client);
    } else {
      visits.pop();
      entered.delete(queue.client);
      // Only a forged update has a cycle of references. Its items keep their order.
      mustTake = struct !== undefined && ordered.length === since;
    }
  }
}

/** Returns the client whose items must come before this item, if any. */
function missingOf(struct: Struct, queues: ReadonlyMap<number, Queue>): Queue | undefined {
  for (const id of referencesOf(struct)) {
    const queue = id && id.client !== struct.id.client ? queues.get(id.client) : undefined;
    const next = queue?.structs[queue.at];
    if (id && next && next.id.clock <= id.clock) return queue;
  }
  return undefined;
}

function referencesOf(struct: Struct): (Y.ID | null)[] {
  if (!(struct instanceof Y.Item)) return [];
  const parent: unknown = struct.parent;
  return [struct.origin, struct.rightOrigin, parent instanceof Y.ID ? parent : null];
}
