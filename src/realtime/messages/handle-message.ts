import { IncomingMessage, MessageType } from '@hocuspocus/server';
import { nextTurn } from '../../platform/event-loop.ts';
import type { WorkerPool } from '../../platform/worker-pool.ts';
import type { AuthenticationDependencies } from '../access/authenticate-connection.ts';
import { renewToken } from '../access/renew-token.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import type { LiveConnection } from '../live-connection.ts';
import type { AwarenessGuard } from '../presence/awareness-guard.ts';
import type { AwarenessRelay } from '../presence/awareness-relay.ts';
import { handleSync } from './sync-message.ts';
import type { SyncResponder } from './sync-responder.ts';

/** Room for all states that one connection may show (awareness-relay.ts). Larger messages are ignored unread. */
const MAX_AWARENESS_BYTES = 256 * 1024;

interface Dependencies extends AuthenticationDependencies {
  store: DocumentStore;
  guard: AwarenessGuard;
  workerPool: WorkerPool;
  syncResponder: SyncResponder;
  relay: AwarenessRelay;
}

/** The kind of an authentication message that carries a token. */
const TOKEN_KIND = 0;

/**
 * Handles a message of an editor in place of Hocuspocus, which logs malformed messages to the console,
 * acknowledges edits that it could not apply, and applies large edits in one turn. Messages of a
 * connection are handled one after the other, so their order is kept.
 */
export async function handleMessage(
  deps: Dependencies,
  connection: LiveConnection,
  bytes: Uint8Array,
): Promise<void> {
  await nextTurn();
  // Messages of a closed connection are dropped.
  if (!connection.isOpen) return;
  try {
    await handle(deps, connection, new IncomingMessage(bytes));
  } catch (error) {
    deps.log.info({ err: error }, 'A message from an editor could not be handled.');
    connection.closeFor('INVALID_ARGUMENT');
  }
}

/** @throws Error when the message is malformed. */
async function handle(
  deps: Dependencies,
  connection: LiveConnection,
  message: IncomingMessage,
): Promise<void> {
  switch (message.readVarUint()) {
    case MessageType.Sync:
    case MessageType.SyncReply: {
      const kind = message.readVarUint();
      return handleSync(deps, connection, { kind, payload: message.readVarUint8Array() });
    }
    case MessageType.Awareness: {
      const states = message.readVarUint8Array();
      if (states.length <= MAX_AWARENESS_BYTES) deps.relay.receive(connection, states);
      return;
    }
    case MessageType.CLOSE:
      return connection.close();
    case MessageType.Auth: {
      const token = readNewToken(message);
      if (token !== undefined) await renewToken(deps, connection, token);
      return;
    }
    // Stateless messages between clients have no effect. Awareness is sent on connecting and on every
    // change, so a query for it needs no reply.
    case MessageType.Stateless:
    case MessageType.QueryAwareness:
      return;
    default:
      throw new Error('The message has an unknown type.');
  }
}

/** Returns the token of an authentication message; undefined when it has none. */
function readNewToken(message: IncomingMessage): string | undefined {
  try {
    return message.readVarUint() === TOKEN_KIND ? message.readVarString() : undefined;
  } catch {
    return undefined;
  }
}
