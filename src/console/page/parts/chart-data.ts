export interface ChartLine {
  name: string;
  /** One value for each time; null where it is unknown. */
  values: Array<number | null>;
}

/** How the values of a chart are written, and where its axis has marks. */
export interface Unit {
  format: (value: number) => string;
  /** The distances between marks that are round numbers in this unit; by default those of the library. */
  steps?: number[];
}

export interface ChartData {
  /** Epoch milliseconds, the oldest first. */
  times: number[];
  lines: ChartLine[];
  unit: Unit;
  /** Whether the times are days, in UTC. */
  byDay?: boolean;
  /** A span of time that is shaded, in epoch milliseconds. */
  marked?: { from: number; to: number } | undefined;
}

/** The style of each line in turn: a colour of Mantine, and dashes for people who see no colours. */
export const LINE_STYLES = [
  { color: 'indigo', dash: [] },
  { color: 'orange', dash: [6, 4] },
  { color: 'teal', dash: [2, 3] },
  { color: 'grape', dash: [10, 4, 2, 4] },
  { color: 'cyan', dash: [4, 2] },
] as const;

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', day: 'numeric', month: 'short' });

export const timeText = (byDay: boolean | undefined, at: number): string =>
  (byDay ? DAY : CLOCK).format(at);

const COUNT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export const countText = (count: number): string => COUNT.format(count);

export function msText(ms: number): string {
  if (ms >= 1000) return `${Number((ms / 1000).toPrecision(2))} s`;
  return `${ms >= 10 ? Math.round(ms) : Number(ms.toPrecision(2))} ms`;
}

export function secondsText(seconds: number): string {
  if (seconds >= 3_600) return `${Number((seconds / 3_600).toFixed(1))} h`;
  if (seconds >= 60) return `${Number((seconds / 60).toFixed(1))} min`;
  return `${seconds < 10 && seconds > 0 ? Number(seconds.toFixed(1)) : Math.round(seconds)} s`;
}

/** A size as people read it, such as `12.3 KB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export const COUNTS: Unit = {
  format: countText,
  steps: Array.from({ length: 13 }, (_, n) => 10 ** n).flatMap((ten) => [ten, 2 * ten, 5 * ten]),
};
export const MILLISECONDS: Unit = { format: msText };
export const SECONDS: Unit = {
  format: secondsText,
  steps: [
    ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800],
    ...[1, 2, 3, 6, 12, 24, 48, 96, 240, 480, 1_200].map((hours) => hours * 3_600),
  ],
};
