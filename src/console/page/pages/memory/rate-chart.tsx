import { Skeleton, useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { failed } from '../../parts/notices.ts';
import type { DrawnChart } from './draw-chart.ts';
import { type Count, percent, rateOf, summed } from './rates.ts';

interface RateChartProps {
  counts: readonly Count[];
  /** A description of the chart, for screen readers. */
  label: string;
  /** A span of time that is shaded, in epoch milliseconds. */
  marked?: { from: number; to: number } | undefined;
}

const HEIGHT = 220;

/** How many items were decided, and the share of approvals. The numbers stand in a table beside it. */
export function RateChart({ counts, label, marked }: RateChartProps) {
  const scheme = useComputedColorScheme('light');
  const { ref, width } = useElementSize<HTMLDivElement>();
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<DrawnChart>(null);
  const [isDrawn, setDrawn] = useState(false);
  const isMeasured = width > 0;
  useEffect(() => {
    let isGone = false;
    if (!isMeasured) return;
    import('./draw-chart.ts').then(({ drawChart }) => {
      if (isGone || !place.current) return;
      const size = { width: place.current.clientWidth, height: HEIGHT };
      drawn.current = drawChart(place.current, { counts, marked, scheme, size });
      setDrawn(true);
    }, failed);
    return () => {
      isGone = true;
      drawn.current?.destroy();
      drawn.current = null;
    };
  }, [counts, marked, scheme, isMeasured]);
  useEffect(() => drawn.current?.setSize({ width, height: HEIGHT }), [width]);
  const all = summed(counts);
  const text = `${label}: ${all.approved} approved and ${all.rejected} rejected, ${percent(rateOf(all))} in all.`;
  return (
    <div ref={ref}>
      {!isDrawn && <Skeleton height={HEIGHT} />}
      <div ref={place} role="img" aria-label={text} className={isDrawn ? 'memory-chart' : ''} />
    </div>
  );
}
