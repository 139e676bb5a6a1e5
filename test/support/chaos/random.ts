import { Random as Uniform } from '../../../examples/demo/random.ts';

/** Random numbers that are the same for the same seed. */
export class Random extends Uniform {
  /** An integer from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }
}
