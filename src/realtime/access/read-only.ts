import { type Connection, OutgoingMessage } from '@hocuspocus/server';
import type { LiveContext, Session } from '../live-context.ts';

/** Of Hocuspocus: clients connect again. */
const RESET_CONNECTION = 4205;

/** Tells the client as well, whose editor may then show what it lets its user do. */
export function setReadOnly(connection: Connection<LiveContext>, readOnly: boolean): void {
  if (connection.readOnly === readOnly) return;
  connection.readOnly = readOnly;
  const message = new OutgoingMessage(connection.messageAddress).writeAuthenticated(readOnly);
  connection.send(message.toUint8Array());
}

/**
 * While the storage of their key is used up, editors may only read. They begin anew when there is
 * room again, since a client sends edits that were not taken only when it connects.
 */
export function followStorage(
  connection: Connection<LiveContext>,
  session: Session,
  isUsedUp: boolean,
): void {
  if (session.isStorageUsedUp === isUsedUp) return;
  session.isStorageUsedUp = isUsedUp;
  if (!session.isEditor) return;
  if (isUsedUp) {
    setReadOnly(connection, true);
    notifyStorageUsedUp(connection);
  } else {
    connection.context.socket?.close(RESET_CONNECTION, 'There is room again.');
  }
}

/** A stateless message, which applications may show. */
export function notifyStorageUsedUp(connection: Connection<LiveContext>): void {
  connection.sendStateless(JSON.stringify({ status: 'RESOURCE_EXHAUSTED', quota: 'storage' }));
}
