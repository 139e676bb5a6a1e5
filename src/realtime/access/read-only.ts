import { type Connection, OutgoingMessage } from '@hocuspocus/server';
import type { LiveContext, Session } from '../live-context.ts';

/** A close code of Hocuspocus after which clients reconnect. */
const RESET_CONNECTION = 4205;

/** Changes whether a connection may write, and notifies the client, whose editor may show it. */
export function setReadOnly(connection: Connection<LiveContext>, readOnly: boolean): void {
  if (connection.readOnly === readOnly) return;
  connection.readOnly = readOnly;
  const message = new OutgoingMessage(connection.messageAddress).writeAuthenticated(readOnly);
  connection.send(message.toUint8Array());
}

/**
 * Makes editors read-only while the storage of their key is used up. When there is room again, they are
 * made to reconnect, since only then does a client send refused edits again.
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

/** Sends a stateless message, which applications may show. */
export function notifyStorageUsedUp(connection: Connection<LiveContext>): void {
  connection.sendStateless(JSON.stringify({ status: 'RESOURCE_EXHAUSTED', quota: 'storage' }));
}
