import * as Y from 'yjs';

/**
 * Whether a document has the same items as an update, for the given clients. Items that are deleted in
 * the document count as the same, since their content is unknown.
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
  for (let done = 0; done < length; ) {
    const struct = structs[Y.findIndexSS(structs, id.clock + done)];
    if (!struct) return false;
    const from = id.clock + done - struct.id.clock;
    const count = Math.min(struct.length - from, length - done);
    if (struct instanceof Y.Item && !struct.deleted) {
      if (struct.content.constructor !== content.constructor) return false;
      const known = struct.content.getContent().slice(from, from + count);
      if (JSON.stringify(known) !== JSON.stringify(values.slice(done, done + count))) return false;
    }
    done += count;
  }
  return true;
}
