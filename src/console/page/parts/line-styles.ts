export interface ChartLine {
  name: string;
  /** One for each time; null where nothing is known. */
  values: Array<number | null>;
}

export interface ChartData {
  /** Epoch milliseconds, the oldest first. */
  times: number[];
  lines: ChartLine[];
  format: (value: number) => string;
}

/** One for each line, in this order: a colour of Mantine, and dashes for who sees no colours. */
export const LINE_STYLES = [
  { color: 'indigo', dash: [] },
  { color: 'orange', dash: [6, 4] },
  { color: 'teal', dash: [2, 3] },
  { color: 'grape', dash: [10, 4, 2, 4] },
  { color: 'cyan', dash: [4, 2] },
] as const;

/** The times of a day or less. */
export const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
