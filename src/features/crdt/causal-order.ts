import * as Y from 'yjs';

export type Struct = ReturnType<typeof Y.decodeUpdate>['structs'][number];

/**
 * Orders the items of an update so that each follows the items that it refers to. The update can then be
 * applied in parts. Yjs writes items client by client: if that order were cut into parts, Yjs would set
 * aside items that refer to later parts, and try them again with each part.
 */
export function inCausalOrder(structs: readonly Struct[]): Struct[] {
  const queues = new Map<number, Queue>();
  for (const [client, items] of Map.groupBy(structs, (struct) => struct.id.client)) {
    queues.set(client, { client, structs: items, next: 0 });
  }
  const ordered: Struct[] = [];
  for (const queue of queues.values()) drain(queue, queues, ordered);
  return ordered;
}

/** The remaining items of one client, in the order of their clocks. */
interface Queue {
  client: number;
  structs: Struct[];
  /** The index of the first remaining item. */
  next: number;
}

/** A client whose items are being ordered. All but the first are visited for items that others refer to. */
interface Visit {
  queue: Queue;
  /** How many items were ordered when this visit began. */
  orderedBefore: number;
}

/** Orders all items of one client, each after the items of other clients that it refers to. */
function drain(first: Queue, queues: ReadonlyMap<number, Queue>, ordered: Struct[]): void {
  const visits: Visit[] = [{ queue: first, orderedBefore: ordered.length }];
  const entered = new Set([first.client]);
  let ignoresReferences = false;
  for (let visit = visits.at(-1); visit; visit = visits.at(-1)) {
    const { queue, orderedBefore } = visit;
    const struct = queue.structs[queue.next];
    const required = struct && !ignoresReferences ? requiredQueue(struct, queues) : undefined;
    if (struct && !required) {
      ordered.push(struct);
      queue.next++;
      ignoresReferences = false;
    } else if (struct && required && !entered.has(required.client)) {
      visits.push({ queue: required, orderedBefore: ordered.length });
      entered.add(required.client);
    } else {
      visits.pop();
      entered.delete(queue.client);
      // A visit that orders nothing has met a cycle of references, which only a forged update has. The
      // item that needed this visit is then ordered before the items that it refers to.
      ignoresReferences = struct !== undefined && ordered.length === orderedBefore;
    }
  }
}

/** Returns a queue with items that must come before this item, if there is one. */
function requiredQueue(struct: Struct, queues: ReadonlyMap<number, Queue>): Queue | undefined {
  for (const id of referencesOf(struct)) {
    const queue = id && id.client !== struct.id.client ? queues.get(id.client) : undefined;
    const next = queue?.structs[queue.next];
    if (id && next && next.id.clock <= id.clock) return queue;
  }
  return undefined;
}

function referencesOf(struct: Struct): (Y.ID | null)[] {
  if (!(struct instanceof Y.Item)) return [];
  const parent: unknown = struct.parent;
  return [struct.origin, struct.rightOrigin, parent instanceof Y.ID ? parent : null];
}
