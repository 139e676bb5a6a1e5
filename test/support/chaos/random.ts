import { Random as Uniform } from '../../../examples/demo/random.ts';

/** Random numbers that are the same for the same seed. */
export class Random extends Uniform {
  /** An integer between both, which are possible, too. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }
}
