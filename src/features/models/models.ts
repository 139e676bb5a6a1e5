import type { ModelProvider } from './schema.ts';

/** Models whose names begin alike, which one provider serves. */
interface ModelFamily {
  /** How its models begin in the neutral words of specification 4.9. */
  neutral: string;
  /** How the provider begins them. */
  product: string;
  provider: ModelProvider;
  /** They know no system prompt: it stands before the text, in the one message of the user. */
  promptBeforeText: boolean;
}

const family = (
  neutral: string,
  product: string,
  provider: ModelProvider,
  promptBeforeText = false,
): ModelFamily => ({ neutral, product, provider, promptBeforeText });

const FAMILIES: readonly ModelFamily[] = [
  family('gen-', 'gpt-', 'openai'),
  family('r1-', 'o1-', 'openai', true),
  family('r3-', 'o3-', 'openai', true),
  family('r4-', 'o4-', 'openai', true),
  family('asst-', 'claude-', 'anthropic'),
  family('lang-', 'gemini-', 'gemini'),
];

/** A model as its provider knows it. */
export interface ChosenModel {
  provider: ModelProvider;
  /** The product's prefix without its hyphen: few enough to be a label of metrics. */
  family: string;
  /** The product name, whichever way the caller wrote it. */
  name: string;
  promptBeforeText: boolean;
}

/** The model that a caller names by either prefix, or nothing when no provider has such models. */
export function chooseModel(model: string): ChosenModel | undefined {
  for (const { neutral, product, provider, promptBeforeText } of FAMILIES) {
    const prefix = [neutral, product].find((start) => model.startsWith(start));
    if (prefix === undefined || model.length === prefix.length) continue;
    const name = product + model.slice(prefix.length);
    return { provider, family: product.slice(0, -1), name, promptBeforeText };
  }
  return undefined;
}

/** The same of a name that the schema of the input let pass. */
export function knownModel(model: string): ChosenModel {
  const chosen = chooseModel(model);
  if (!chosen) throw new Error('The model has no provider.');
  return chosen;
}

const listOf = (prefix: 'neutral' | 'product') => FAMILIES.map((one) => one[prefix]).join(', ');

export const PREFIXES = `${listOf('neutral')} or ${listOf('product')}`;
