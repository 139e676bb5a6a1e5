import { Random as Uniform } from '../../../examples/demo/random.ts';

/** Random numbers that are the same in every run, also of distributions other than uniform. */
export class Random extends Uniform {
  /** A random count with this average. */
  poisson(mean: number): number {
    if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * this.normal()));
    let count = 0;
    for (let left = Math.exp(-mean), p = this.next(); p > left; p *= this.next()) count += 1;
    return count;
  }

  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }
}
