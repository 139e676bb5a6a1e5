import { IncomingMessage } from '@hocuspocus/server';
import { UpdateEncoderV1 } from 'yjs';
import type { State } from './awareness-identity.ts';

/** The awareness of one Yjs client: its state, or null when the client has left. */
export interface ClientState {
  clientId: number;
  clock: number;
  state: State | null;
}

/** Decodes an awareness update of Yjs. @throws Error when it is malformed. */
export function readAwareness(bytes: Uint8Array): ClientState[] {
  const message = new IncomingMessage(bytes);
  const states: ClientState[] = [];
  const count = message.readVarUint();
  for (let index = 0; index < count; index++) {
    const clientId = message.readVarUint();
    const clock = message.readVarUint();
    const state: unknown = JSON.parse(message.readVarString());
    if (typeof state !== 'object' || Array.isArray(state))
      throw new Error('An awareness state must be an object or null.');
    states.push({ clientId, clock, state: state as State | null });
  }
  return states;
}

export function writeAwareness(states: readonly ClientState[]): Uint8Array {
  const encoder = new UpdateEncoderV1();
  encoder.writeLen(states.length);
  for (const { clientId, clock, state } of states) {
    encoder.writeClient(clientId);
    encoder.writeLen(clock);
    encoder.writeString(JSON.stringify(state));
  }
  return encoder.toUint8Array();
}
