/** The largest size that is measured; smaller for a quick look. */
const LARGEST = Number(process.env.BENCH_GROWTH_MAX ?? 1_000_000);

/** Powers of ten, as far as BENCH_GROWTH_MAX. */
export function sizesBetween(first: number, last: number): number[] {
  const sizes: number[] = [];
  for (let size = first; size <= Math.min(last, LARGEST); size *= 10) sizes.push(size);
  return sizes;
}

/** These sizes, as far as BENCH_GROWTH_MAX. */
export const sizesAmong = (sizes: number[]): number[] => sizes.filter((size) => size <= LARGEST);
