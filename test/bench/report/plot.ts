import type { Line } from '../growth/lines.ts';

const [WIDTH, HEIGHT] = [820, 360];
const AREA = { left: 64, right: 500, top: 36, bottom: 310 };
const LEGEND = { left: 524, top: 52, lineHeight: 22 };
/** Above this ratio of the largest to the smallest cost, the axis of costs is logarithmic. */
const LINEAR_AXIS_MAX = 20;
/** Readable on light and dark backgrounds. */
const COLOURS = [
  '#3b82f6',
  '#ef7d1a',
  '#22a06b',
  '#d6409f',
  '#8b5cf6',
  '#b58900',
  '#0ea5b7',
  '#e5484d',
  '#7c8694',
];

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600; font-size: 14px }
  .grid { stroke: #8886; stroke-width: 1 }
  .line { fill: none; stroke-width: 2 }
  @media (prefers-color-scheme: dark) { text { fill: #d0d7de } }`;

/** Maps a value to a coordinate. */
type Scale = (value: number) => number;

/** An SVG image of costs (median) against sizes, whose axis is logarithmic. */
export function drawPlot(title: string, sizeOf: string, lines: Line[]): string {
  const sizes = [...new Set(lines.flatMap(({ samples }) => samples.map(({ size }) => size)))];
  const costs = lines.flatMap(({ samples }) => samples.map(({ median }) => median));
  const x = logScale(Math.min(...sizes), Math.max(...sizes), AREA.left, AREA.right);
  const { y, ticks } = costAxis(costs);
  const unit = lines[0]?.unit ?? '';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeXml(title)}">
<style>${STYLE}
</style>
<text class="title" x="${AREA.left}" y="20">${escapeXml(title)} (${unit})</text>
${ticks.map((cost) => gridLine(y(cost), String(cost))).join('\n')}
${sizes.map((size) => sizeLabel(x(size), size)).join('\n')}
<text x="${(AREA.left + AREA.right) / 2}" y="${AREA.bottom + 40}" text-anchor="middle">${escapeXml(sizeOf)}</text>
${lines.map((line, n) => drawLine(line, n, x, y)).join('\n')}
</svg>
`;
}

function logScale(from: number, to: number, start: number, end: number): Scale {
  const span = Math.log10(to) - Math.log10(from) || 1;
  return (value) => start + ((Math.log10(value) - Math.log10(from)) / span) * (end - start);
}

/** From zero, unless the costs differ so much that small ones would lie on the axis. */
function costAxis(costs: number[]): { y: Scale; ticks: number[] } {
  const [least, most] = [Math.min(...costs), Math.max(...costs)];
  if (most / least > LINEAR_AXIS_MAX) {
    const [low, high] = [Math.floor(Math.log10(least)), Math.ceil(Math.log10(most))];
    const ticks = Array.from({ length: high - low + 1 }, (_, n) => Number(`1e${low + n}`));
    return { y: logScale(ticks[0] ?? 1, ticks.at(-1) ?? 1, AREA.bottom, AREA.top), ticks };
  }
  const step = niceStep(most / 4);
  const end = step * Math.ceil(most / step);
  const ticks = Array.from({ length: Math.round(end / step) + 1 }, (_, n) =>
    Number((n * step).toPrecision(6)),
  );
  return { y: (cost) => AREA.bottom - (cost / end) * (AREA.bottom - AREA.top), ticks };
}

/** The smallest of 1, 2, 5, 10, 20, … that is at least this. */
function niceStep(atLeast: number): number {
  const power = 10 ** Math.floor(Math.log10(atLeast));
  return power * ([1, 2, 5].find((factor) => factor * power >= atLeast) ?? 10);
}

const gridLine = (y: number, label: string): string =>
  `<line class="grid" x1="${AREA.left}" x2="${AREA.right}" y1="${y.toFixed(1)}" y2="${y.toFixed(1)}"/>` +
  `<text x="${AREA.left - 8}" y="${(y + 4).toFixed(1)}" text-anchor="end">${label}</text>`;

const sizeLabel = (x: number, size: number): string =>
  `<text x="${x.toFixed(1)}" y="${AREA.bottom + 20}" text-anchor="middle">${size.toLocaleString('en')}</text>`;

function drawLine({ label, samples }: Line, n: number, x: Scale, y: Scale): string {
  const colour = COLOURS[n % COLOURS.length];
  const points = samples.map(({ size, median }) => `${x(size).toFixed(1)},${y(median).toFixed(1)}`);
  const dots = points.map((point) => {
    const [cx, cy] = point.split(',');
    return `<circle cx="${cx}" cy="${cy}" r="3.5" fill="${colour}"/>`;
  });
  const top = LEGEND.top + n * LEGEND.lineHeight;
  return [
    `<polyline class="line" stroke="${colour}" points="${points.join(' ')}"/>`,
    ...dots,
    `<rect x="${LEGEND.left}" y="${top - 9}" width="12" height="10" fill="${colour}"/>`,
    `<text x="${LEGEND.left + 20}" y="${top}">${escapeXml(label)}</text>`,
  ].join('\n');
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
