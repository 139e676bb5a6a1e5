import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Texts by what they ask for, in words of many people. */
export type LabelledTexts = Map<string, string[]>;

const PARTS = ['train', 'valid', 'test'];

/**
 * Reads a set of the folder that BENCH_TEXTS names, which has `<set>/<part>/seq.in` with a text on
 * each line and `<set>/<part>/label` with its label, as in the folder `Datasets` of
 * https://github.com/jianguoz/Few-Shot-Intent-Detection. Its sets are CLINC150 (Larson et al. 2019,
 * CC BY 3.0), BANKING77 (Casanueva et al. 2020, CC BY 4.0) and HWU64 (Liu et al. 2019, CC BY 4.0).
 */
export function readTexts(folder: string, set: string): LabelledTexts {
  const texts: LabelledTexts = new Map();
  for (const part of PARTS) {
    const lines = (file: string) => {
      const full = path.join(folder, set, part, file);
      return existsSync(full) ? readFileSync(full, 'utf8').trimEnd().split('\n') : [];
    };
    const labels = lines('label');
    for (const [index, text] of lines('seq.in').entries()) {
      const label = labels[index]?.trim() ?? '';
      texts.set(label, [...(texts.get(label) ?? []), text.trim()]);
    }
  }
  return new Map([...texts].map(([label, all]) => [label, [...new Set(all)]]));
}
