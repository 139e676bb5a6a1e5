import { IncomingMessage } from '@hocuspocus/server';

/** Whether these bytes say who is there, as clients of Yjs write it. */
export function isAwareness(bytes: Uint8Array): boolean {
  const message = new IncomingMessage(bytes);
  for (let left = message.readVarUint(); left > 0; left--) {
    message.readVarUint();
    message.readVarUint();
    const state: unknown = JSON.parse(message.readVarString());
    if (typeof state !== 'object' || Array.isArray(state)) return false;
  }
  return true;
}
