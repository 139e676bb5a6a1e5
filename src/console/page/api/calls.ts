import { useSyncExternalStore } from 'react';

/** A call of the API that this page made. */
export interface NotedCall {
  apiKey: string;
  name: string;
  input: unknown;
}

const MAX_NOTED = 40;
/** Their inputs may hold secrets, which no page shows again. */
const WITH_SECRETS = new Set(['apiKeyConfig.update', 'emailConfig.update', 'webhookConfig.update']);

let page = '';
let noted: readonly NotedCall[] = [];
const listeners = new Set<() => void>();

/** Notes a call of the page in the address; calls of the page before it are forgotten. */
export function noteCall(call: NotedCall): void {
  if (WITH_SECRETS.has(call.name)) return;
  const text = JSON.stringify(call);
  const before = page === location.pathname ? noted : [];
  page = location.pathname;
  // A call that the page repeats keeps its place in the list.
  if (before.some((each) => JSON.stringify(each) === text)) return;
  noted = [call, ...before].slice(0, MAX_NOTED);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The calls of this page, the newest first, without repetitions. */
export function useCalls(): readonly NotedCall[] {
  const calls = useSyncExternalStore(subscribe, () => noted);
  return page === location.pathname ? calls : [];
}
