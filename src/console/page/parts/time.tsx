import { useSyncExternalStore } from 'react';

const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });
const UNITS: Array<[unit: Intl.RelativeTimeFormatUnit, ms: number]> = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];
/** Clocks of the server and the browser differ by a little, so seconds are not counted. */
const JUST_MS = 10_000;

/** A time as how long ago it is, with the exact one in the viewer's zone. */
export function Time({ at }: { at: number | string | Date }) {
  useSyncExternalStore(subscribe, () => now);
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={EXACT.format(date)}>
      {relative(date.getTime() - Date.now())}
    </time>
  );
}

function relative(ms: number): string {
  if (ms > JUST_MS / 3 && ms < JUST_MS) return 'in a few seconds';
  if (Math.abs(ms) < JUST_MS) return 'just now';
  const [unit, length] = UNITS.find(([, each]) => Math.abs(ms) >= each) ?? ['second', 1000];
  return RELATIVE.format(Math.round(ms / length), unit);
}

const STEP_MS = 10_000;
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** All share one timer: lists show many times, and replace them while one scrolls. */
function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    now = Date.now();
    timer = setInterval(renew, STEP_MS);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

function renew(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}
