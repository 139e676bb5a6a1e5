import 'uplot/dist/uPlot.min.css';
import UPlot from 'uplot';
import { type Count, rateOf } from './rates.ts';

export type DrawnChart = Pick<UPlot, 'destroy' | 'setSize'>;

interface Drawing {
  counts: readonly Count[];
  marked: { from: number; to: number } | undefined;
  scheme: 'light' | 'dark';
  size: { width: number; height: number };
}

const COLOURS = {
  light: { text: '#495057', grid: '#e9ecef', rate: '#3b5bdb', bars: '#ced4da', marked: '#ffe3e3' },
  dark: { text: '#c9c9c9', grid: '#3b3b3b', rate: '#91a7ff', bars: '#565656', marked: '#5c1f1f' },
};

/** Draws the share of approvals as a line over the number of decisions as bars. */
export function drawChart(
  place: HTMLElement,
  { counts, marked, scheme, size }: Drawing,
): DrawnChart {
  const colours = COLOURS[scheme];
  // Days are those of UTC, as the server counts them.
  const dates = new Intl.DateTimeFormat(undefined, {
    timeZone: 'UTC',
    day: 'numeric',
    month: 'short',
  });
  const dateOf = (seconds: number) => dates.format(seconds * 1000);
  const axis = { stroke: colours.text, grid: { stroke: colours.grid, width: 1 } };
  const bars = UPlot.paths.bars?.({ size: [0.7, 40] });
  // Without a pointer on the chart, the legend shows the last values.
  const showLast = (chart: UPlot) => {
    if (chart.cursor.idx == null) chart.setLegend({ idx: counts.length - 1 }, false);
  };
  const shade = (chart: UPlot) => {
    if (!marked) return;
    const [left, right] = [marked.from, marked.to].map((ms) =>
      chart.valToPos(ms / 1000, 'x', true),
    );
    const { left: edge, top, width, height } = chart.bbox;
    const from = Math.max(edge, left ?? 0);
    const to = Math.min(edge + width, right ?? 0);
    chart.ctx.fillStyle = colours.marked;
    if (to > from) chart.ctx.fillRect(from, top, to - from, height);
  };
  return new UPlot(
    {
      ...size,
      cursor: { y: false },
      tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
      scales: {
        rate: { range: [0, 100] },
        count: { range: (_chart, _min, max) => [0, Math.max(4, max * 2.5)] },
      },
      axes: [
        { ...axis, space: 70, values: (_chart, ticks) => ticks.map(dateOf) },
        { ...axis, scale: 'rate', values: (_chart, ticks) => ticks.map((tick) => `${tick} %`) },
        { ...axis, scale: 'count', side: 1, grid: { show: false } },
      ],
      series: [
        { label: 'Date', value: (_chart, at) => (at === null ? '' : dateOf(at)) },
        {
          label: 'Decided',
          scale: 'count',
          fill: colours.bars,
          stroke: colours.bars,
          points: { show: false },
          value: (_chart, value) => (value === null ? '' : String(value)),
          ...(bars && { paths: bars }),
        },
        {
          label: 'Approved',
          scale: 'rate',
          stroke: colours.rate,
          width: 2,
          spanGaps: true,
          points: { size: 5, fill: colours.rate },
          value: (_chart, value) => (value === null ? '' : `${Math.round(value)} %`),
        },
      ],
      hooks: { drawAxes: [shade], ready: [showLast], setCursor: [showLast] },
    },
    [
      counts.map(({ day }) => day / 1000),
      counts.map(({ approved, rejected }) => approved + rejected),
      counts.map((count) => {
        const rate = rateOf(count);
        return rate === null ? null : rate * 100;
      }),
    ],
    place,
  );
}
