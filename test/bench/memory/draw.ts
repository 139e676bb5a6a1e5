import { COLOURS, escapeXml, STYLE } from '../report/plot.ts';
import type { Method, SetAnswer } from './ask-set.ts';
import { givenBy } from './score-set.ts';

const [WIDTH, HEIGHT] = [560, 380];
const AREA = { left: 56, right: 400, top: 36, bottom: 330 };
const FROM = 0.5;
const TICKS = [0.5, 0.6, 0.7, 0.8, 0.9, 1];
const BINS = 5;

interface Point {
  x: number;
  y: number;
}

interface Curve {
  label: string;
  points: Point[];
}

/** How often suggestions were right, by what their confidence says; on the diagonal it is true. */
export function drawReliability(answers: SetAnswer[]): string {
  const curve = (label: string, method: Method): Curve => {
    const given = givenBy(method, answers);
    const bins = Map.groupBy(given, ({ confidence }) =>
      Math.min(BINS - 1, Math.floor((confidence - 0.5) * 2 * BINS)),
    );
    const points = [...bins]
      .sort(([a], [b]) => a - b)
      .map(([, bin]) => ({
        x: mean(bin.map(({ confidence }) => confidence)),
        y: mean(bin.map(({ isRight }) => Number(isRight))),
      }));
    return { label, points };
  };
  const diagonal = [
    { x: 0.5, y: 0.5 },
    { x: 1, y: 1 },
  ];
  return draw('Confidence and what was right', { x: 'confidence', y: 'share that was right' }, [
    curve('ours', 'ours'),
    curve('TF-IDF neighbours', 'neighbours'),
    { label: 'as it should be', points: diagonal },
  ]);
}

/** How many of the surest answers were right, for every share of the questions. */
export function drawCoverage(answers: SetAnswer[]): string {
  const judged = answers.filter(({ right }) => right !== undefined);
  const methods: Array<[label: string, method: Method]> = [
    ['ours', 'ours'],
    ['TF-IDF neighbours', 'neighbours'],
    ['full-text rank', 'full text'],
    ['majority', 'majority'],
  ];
  const curves = methods.map(([label, method]): Curve => {
    const given = givenBy(method, answers).toSorted((a, b) => b.confidence - a.confidence);
    const points: Point[] = [];
    let right = 0;
    given.forEach(({ isRight }, index) => {
      right += Number(isRight);
      const x = (index + 1) / judged.length;
      if ((index + 1) % Math.ceil(judged.length / 40) === 0)
        points.push({ x, y: right / (index + 1) });
    });
    return { label, points: points.filter(({ x }) => x >= 0.1) };
  });
  return draw('Accuracy of the surest answers', { x: 'share answered', y: 'accuracy' }, curves);
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function draw(title: string, axes: { x: string; y: string }, curves: Curve[]): string {
  const fromX = Math.min(FROM, ...curves.flatMap(({ points }) => points.map(({ x }) => x)));
  const fromY = Math.min(FROM, ...curves.flatMap(({ points }) => points.map(({ y }) => y)));
  const x = (value: number) =>
    AREA.left + ((value - fromX) / (1 - fromX)) * (AREA.right - AREA.left);
  const y = (value: number) =>
    AREA.bottom - ((value - fromY) / (1 - fromY)) * (AREA.bottom - AREA.top);
  const grid = TICKS.map(
    (tick) =>
      `<line class="grid" x1="${AREA.left}" x2="${AREA.right}" y1="${y(tick).toFixed(1)}" y2="${y(tick).toFixed(1)}"/>` +
      `<text x="${AREA.left - 8}" y="${(y(tick) + 4).toFixed(1)}" text-anchor="end">${tick}</text>` +
      `<text x="${x(tick).toFixed(1)}" y="${AREA.bottom + 18}" text-anchor="middle">${tick}</text>`,
  );
  const lines = curves.map(({ label, points }, n) => {
    const colour = COLOURS[n % COLOURS.length];
    const path = points
      .map((point) => `${x(point.x).toFixed(1)},${y(point.y).toFixed(1)}`)
      .join(' ');
    const top = AREA.top + 20 + 22 * n;
    return (
      `<polyline class="line" stroke="${colour}" points="${path}"/>` +
      `<rect x="${AREA.right + 20}" y="${top - 9}" width="12" height="10" fill="${colour}"/>` +
      `<text x="${AREA.right + 38}" y="${top}">${escapeXml(label)}</text>`
    );
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeXml(title)}">
<style>${STYLE}
</style>
<text class="title" x="${AREA.left}" y="20">${escapeXml(title)}</text>
${grid.join('\n')}
${lines.join('\n')}
<text x="${(AREA.left + AREA.right) / 2}" y="${AREA.bottom + 40}" text-anchor="middle">${escapeXml(axes.x)}</text>
<text x="${AREA.left}" y="${AREA.top - 4}" text-anchor="start">${escapeXml(axes.y)}</text>
</svg>
`;
}
