import type { Event } from '../../../../api/contract.ts';
import { call } from '../../api/client.ts';
import type { Act } from './acts.ts';
import { PLACE } from './demo-world.ts';

/** An act that was done, and where the log of events stood before it. */
export interface Performance {
  act: Act;
  input: object;
  answer: unknown;
  /** How long the call took. */
  ms: number;
  cursor: string;
  /** When the call began, in epoch milliseconds. */
  at: number;
}

/** Events of this type are few, so that one page of them leads to the end of the log. */
const RARE = ['endpoint.disabled'];

/** Notes where the log ends, and makes the call. */
export async function perform(apiKey: string, act: Act, input: object): Promise<Performance> {
  const cursor = await endOfLog(apiKey);
  const at = Date.now();
  const begun = performance.now();
  const answer: unknown = await call(apiKey, act.operation, input as never);
  return { act, input, answer, ms: Math.round(performance.now() - begun), cursor, at };
}

async function endOfLog(apiKey: string): Promise<string> {
  for (let after: string | undefined; ; ) {
    const { events, cursor } = await call(apiKey, 'events.get', { after, types: RARE });
    if (events.length === 0) return cursor;
    after = cursor;
  }
}

/** The events that the act made. Others of the same types may stand among them on a busy server. */
export async function eventsOf(apiKey: string, { act, cursor }: Performance): Promise<Event[]> {
  const input = { after: cursor, types: act.events, limit: 20 };
  const { events } = await call(apiKey, 'events.get', input);
  return events.filter(({ metadata }) => metadata.organizationId === PLACE.organizationId);
}

/** Whether everything that the act makes is there. */
export const isComplete = ({ act }: Performance, events: Event[]): boolean =>
  act.events.every((type) => events.some((event) => event.type === type));
