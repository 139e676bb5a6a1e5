import { useSyncExternalStore } from 'react';
import { Listeners } from '../../../client/listeners.ts';

/** A call of the API that this page made. */
export interface ListedCall {
  apiKey: string;
  name: string;
  input: unknown;
}

const MAX_LISTED = 40;
/** The inputs of these operations may hold secrets, so their calls are not listed. */
const WITH_SECRETS = new Set(['apiKeyConfig.update', 'emailConfig.update', 'webhookConfig.update']);

/** The path of the page that made the listed calls. */
let listedPage = '';
let listed: readonly ListedCall[] = [];
const listeners = new Listeners();

/** Lists a call of the current page, and forgets the calls of the page before it. */
export function listCall(call: ListedCall): void {
  if (WITH_SECRETS.has(call.name)) return;
  const text = JSON.stringify(call);
  const earlier = listedPage === location.pathname ? listed : [];
  listedPage = location.pathname;
  // A call that the page repeats keeps its place in the list.
  if (earlier.some((each) => JSON.stringify(each) === text)) return;
  listed = [call, ...earlier].slice(0, MAX_LISTED);
  listeners.notify();
}

/** The calls of this page, the newest first, without repetitions. */
export function useCalls(): readonly ListedCall[] {
  const calls = useSyncExternalStore(listeners.subscribe, () => listed);
  return listedPage === location.pathname ? calls : [];
}
