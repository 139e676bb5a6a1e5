import { useNow } from './use-now.ts';

const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });
const UNITS: Array<[unit: Intl.RelativeTimeFormatUnit, ms: number]> = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** A time as how long ago it is, with the exact one in the viewer's zone. */
export function Time({ at }: { at: number | string | Date }) {
  useNow();
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={EXACT.format(date)}>
      {relative(date.getTime() - Date.now())}
    </time>
  );
}

/** Clocks of the server and the browser differ by a little, so seconds are not counted. */
const JUST_MS = 10_000;

function relative(ms: number): string {
  if (ms > JUST_MS / 3 && ms < JUST_MS) return 'in a few seconds';
  if (Math.abs(ms) < JUST_MS) return 'just now';
  const [unit, length] = UNITS.find(([, each]) => Math.abs(ms) >= each) ?? ['second', 1000];
  return RELATIVE.format(Math.round(ms / length), unit);
}
