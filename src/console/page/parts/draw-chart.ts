import 'uplot/dist/uPlot.min.css';
import UPlot from 'uplot';
import { type ChartData, type ChartLine, LINE_STYLES, timeText } from './chart-data.ts';

// This file is separate from the component, so that a page loads the chart library only if it has a chart.

const HEIGHT_PX = 160;

/**
 * Draws lines over time into an element, as wide as the element.
 *
 * @param onPoint called with the index of the time under the pointer
 * @returns a function that removes the drawing
 */
export function drawChart(
  element: HTMLElement,
  { times, lines, unit, byDay, marked }: ChartData,
  onPoint: (index: number | null) => void,
): () => void {
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(`--mantine-color-${name}`).trim();
  const grid = { stroke: color('default-border'), width: 1 };
  const axis = { stroke: color('dimmed'), grid, ticks: { show: false }, font: '11px system-ui' };
  const shadeSpan = (chart: UPlot) => {
    if (!marked) return;
    const { left, top, width, height } = chart.bbox;
    const xOf = (ms: number) =>
      Math.min(left + width, Math.max(left, chart.valToPos(ms, 'x', true)));
    chart.ctx.fillStyle = `color-mix(in srgb, ${color('red-filled')} 12%, transparent)`;
    chart.ctx.fillRect(xOf(marked.from), top, xOf(marked.to) - xOf(marked.from), height);
  };
  const chart = new UPlot(
    {
      width: element.clientWidth,
      height: HEIGHT_PX,
      ms: 1,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false } },
      ...(byDay && { tzDate: (ms) => UPlot.tzDate(new Date(ms), 'Etc/UTC') }),
      scales: { y: { range: (_chart, _min, max) => [0, max > 0 ? max * 1.1 : 1] } },
      axes: [
        {
          ...axis,
          space: 70,
          size: 28,
          values: (_chart, marks) => marks.map((at) => timeText(byDay, at)),
        },
        {
          ...axis,
          size: 52,
          ...(unit.steps && { incrs: unit.steps }),
          values: (_chart, marks) => marks.map(unit.format),
        },
      ],
      series: [
        {},
        ...lines.map((line, at) => {
          const { color: name, dash } = LINE_STYLES[at % LINE_STYLES.length] ?? LINE_STYLES[0];
          return {
            label: line.name,
            stroke: color(`${name}-filled`),
            width: 1.75,
            dash: [...dash],
            points: { show: hasIsolatedValues(line) },
          };
        }),
      ],
      hooks: {
        drawClear: [shadeSpan],
        setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)],
      },
    },
    [times, ...lines.map(({ values }) => values)],
    element,
  );
  const resizeObserver = new ResizeObserver(() =>
    chart.setSize({ width: element.clientWidth, height: HEIGHT_PX }),
  );
  resizeObserver.observe(element);
  return () => {
    resizeObserver.disconnect();
    chart.destroy();
  };
}

/** Whether a line has values without neighbours, which are visible only as points. */
const hasIsolatedValues = ({ values }: ChartLine): boolean =>
  values.some(
    (value, at) =>
      value !== null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null,
  );
