import { useSyncExternalStore } from 'react';
import { Listeners } from '../../../client/listeners.ts';

/** A call to the API that this page made. */
export interface RecordedCall {
  apiKey: string;
  name: string;
  input: unknown;
}

const MAX_RECORDED = 40;
/** The inputs of these operations may hold secrets, so their calls are not listed. */
const OPERATIONS_WITH_SECRETS = new Set([
  'apiKeyConfig.update',
  'emailConfig.update',
  'webhookConfig.update',
]);

/** The path of the page that made the listed calls. */
let recordedPage = '';
let recorded: readonly RecordedCall[] = [];
const listeners = new Listeners();

/** Adds a call to the list of the current page, and drops the calls of the previous page. */
export function recordCall(call: RecordedCall): void {
  if (OPERATIONS_WITH_SECRETS.has(call.name)) return;
  const text = JSON.stringify(call);
  const earlier = recordedPage === location.pathname ? recorded : [];
  recordedPage = location.pathname;
  // A call that the page repeats keeps its place in the list.
  if (earlier.some((each) => JSON.stringify(each) === text)) return;
  recorded = [call, ...earlier].slice(0, MAX_RECORDED);
  listeners.notify();
}

/** The calls of this page, newest first, each listed once. */
export function useCalls(): readonly RecordedCall[] {
  const calls = useSyncExternalStore(listeners.subscribe, () => recorded);
  return recordedPage === location.pathname ? calls : [];
}
