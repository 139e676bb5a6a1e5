import * as Y from 'yjs';
import { nextLongTurn } from '../../platform/event-loop.ts';

/**
 * Whether a document contains an update, which is given in parts (split-update.ts). One part is compared
 * in each turn.
 *
 * @throws Error when the update is malformed.
 */
export async function containsUpdate(doc: Y.Doc, parts: readonly Uint8Array[]): Promise<boolean> {
  for (const part of parts) {
    await nextLongTurn();
    if (!contains(doc, part)) return false;
  }
  return true;
}

function contains({ store }: Y.Doc, part: Uint8Array): boolean {
  const { structs, ds } = Y.decodeUpdate(part);
  const isKnown = structs.every(
    ({ id, length }) => Y.getState(store, id.client) >= id.clock + length,
  );
  if (!isKnown) return false;
  return [...ds.clients].every(([client, ranges]) =>
    ranges.every(({ clock, len }) => isDeleted(store, client, { from: clock, to: clock + len })),
  );
}

function isDeleted(
  store: Y.Doc['store'],
  client: number,
  { from, to }: { from: number; to: number },
): boolean {
  if (to > Y.getState(store, client)) return false;
  const structs = store.clients.get(client) ?? [];
  for (let index = Y.findIndexSS(structs, from); index < structs.length; index++) {
    const struct = structs[index];
    if (!struct || struct.id.clock >= to) return true;
    if (!struct.deleted) return false;
  }
  return true;
}

/**
 * Whether a document has the same items as an update, for the given clients. Items that are deleted in
 * the document count as the same, since their content is no longer known.
 */
export function hasSameItems(
  doc: Y.Doc,
  update: Uint8Array,
  clients: ReadonlySet<number>,
): boolean {
  return Y.decodeUpdate(update).structs.every(
    (struct) =>
      !clients.has(struct.id.client) ||
      (struct instanceof Y.Item && hasSameContent(doc.store, struct)),
  );
}

function hasSameContent(store: Y.Doc['store'], { id, length, content }: Y.Item): boolean {
  const structs = store.clients.get(id.client) ?? [];
  const values = content.getContent();
  let compared = 0;
  while (compared < length) {
    const struct = structs[Y.findIndexSS(structs, id.clock + compared)];
    if (!struct) return false;
    const from = id.clock + compared - struct.id.clock;
    const count = Math.min(struct.length - from, length - compared);
    if (struct instanceof Y.Item && !struct.deleted) {
      if (struct.content.constructor !== content.constructor) return false;
      const known = struct.content.getContent().slice(from, from + count);
      if (JSON.stringify(known) !== JSON.stringify(values.slice(compared, compared + count)))
        return false;
    }
    compared += count;
  }
  return true;
}
