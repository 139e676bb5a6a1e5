import * as Y from 'yjs';

/** What is integrated in one go: some milliseconds for items, less for deletions. */
const MAX_ITEMS = 1_500;
const MAX_DELETED = 6_000;

/**
 * Parts a large update into several, to be applied one after the other, so that none of them holds
 * up the process for long. A small one stays as it is. New items come first, deletions last.
 */
export function splitUpdate(update: Uint8Array): Uint8Array[] {
  const { structs, ds } = Y.decodeUpdate(update);
  const deleted = [...ds.clients].flatMap(([client, ranges]) =>
    ranges.flatMap((range) => slices(client, range.clock, range.len)),
  );
  const length = deleted.reduce((sum, slice) => sum + slice.length, 0);
  if (structs.length <= MAX_ITEMS && length <= MAX_DELETED) return [update];
  const parts: Uint8Array[] = [];
  for (const own of Map.groupBy(structs, (struct) => struct.id.client).values()) {
    for (let at = 0; at < own.length; at += MAX_ITEMS) {
      parts.push(encode(own.slice(at, at + MAX_ITEMS), []));
    }
  }
  return [...parts, ...deletions(deleted)];
}

interface Slice {
  client: number;
  clock: number;
  length: number;
}

function slices(client: number, clock: number, total: number): Slice[] {
  const found: Slice[] = [];
  for (let done = 0; done < total; done += MAX_DELETED) {
    found.push({ client, clock: clock + done, length: Math.min(MAX_DELETED, total - done) });
  }
  return found;
}

function deletions(deleted: readonly Slice[]): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let part: Slice[] = [];
  let room = MAX_DELETED;
  for (const slice of deleted) {
    if (part.length > 0 && (slice.length > room || part.length >= MAX_ITEMS)) {
      parts.push(encode([], part));
      [part, room] = [[], MAX_DELETED];
    }
    part.push(slice);
    room -= slice.length;
  }
  return part.length > 0 ? [...parts, encode([], part)] : parts;
}

/** An update in Yjs's own encoding: items of one client, then deletions client by client. */
function encode(structs: Struct[], deleted: readonly Slice[]): Uint8Array {
  const encoder = new Y.UpdateEncoderV1();
  const [first] = structs;
  encoder.writeLen(first ? 1 : 0);
  if (first) {
    encoder.writeLen(structs.length);
    encoder.writeClient(first.id.client);
    encoder.writeLen(first.id.clock);
    for (const struct of structs) struct.write(encoder, 0);
  }
  const byClient = Map.groupBy(deleted, ({ client }) => client);
  encoder.writeLen(byClient.size);
  for (const [client, own] of byClient) {
    encoder.resetDsCurVal();
    encoder.writeLen(client);
    encoder.writeLen(own.length);
    for (const { clock, length } of own) {
      encoder.writeDsClock(clock);
      encoder.writeDsLen(length);
    }
  }
  return encoder.toUint8Array();
}

type Struct = ReturnType<typeof Y.decodeUpdate>['structs'][number];
