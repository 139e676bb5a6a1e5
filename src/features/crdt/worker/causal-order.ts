import * as Y from 'yjs';

export type Struct = ReturnType<typeof Y.decodeUpdate>['structs'][number];

/**
 * The items of an update in an order in which each comes after those that it refers to, so that a
 * document can take them bit by bit. Yjs writes them client by client, and would put aside, and
 * compare again with each further bit, whatever refers to a client that has not come yet.
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

/** What is left of one client's items; in the order of their clocks. */
interface Queue {
  client: number;
  structs: Struct[];
  at: number;
}

interface Visit {
  queue: Queue;
  /** How many items were in order when it was entered. */
  since: number;
}

/** Takes all items of one client, and before each of them what it refers to. */
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
      // Items that refer to each other in a circle, which only a forger can make, come as they are.
      mustTake = struct !== undefined && ordered.length === since;
    }
  }
}

/** The client whose items must come first, if there is one. */
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
