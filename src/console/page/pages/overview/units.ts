const COUNT = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

/** These are outside of components, since a chart is drawn anew when its format is another one. */
export const countText = (count: number): string => COUNT.format(count);

export function msText(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toPrecision(2)} s`;
  return `${ms >= 10 || ms === 0 ? Math.round(ms) : ms.toPrecision(2)} ms`;
}

export function secondsText(seconds: number): string {
  if (seconds >= 3_600) return `${(seconds / 3_600).toFixed(1)} h`;
  if (seconds >= 60) return `${(seconds / 60).toFixed(1)} min`;
  return `${seconds < 10 && seconds > 0 ? seconds.toFixed(1) : Math.round(seconds)} s`;
}

export const megabytesText = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
