import type { ModelProvider } from './schema.ts';

/** Models with a common prefix, which one provider serves. */
interface ModelFamily {
  /** The prefix of the neutral names (specification 4.9). */
  neutral: string;
  /** The prefix of the provider's own names. */
  product: string;
  provider: ModelProvider;
  /**
   * Set if these models have no system prompt. The prompt then precedes the text, in one user
   * message.
   */
  promptBeforeText?: true;
}

const FAMILIES: readonly ModelFamily[] = [
  { neutral: 'gen-', product: 'gpt-', provider: 'openai' },
  { neutral: 'r1-', product: 'o1-', provider: 'openai', promptBeforeText: true },
  { neutral: 'r3-', product: 'o3-', provider: 'openai', promptBeforeText: true },
  { neutral: 'r4-', product: 'o4-', provider: 'openai', promptBeforeText: true },
  { neutral: 'asst-', product: 'claude-', provider: 'anthropic' },
  { neutral: 'lang-', product: 'gemini-', provider: 'gemini' },
];

/** A model, named as its provider names it. */
export interface ChosenModel {
  provider: ModelProvider;
  /** The product prefix without its hyphen. There are few of them, so it can label metrics. */
  family: string;
  /** The product name, whichever prefix the caller used. */
  name: string;
  promptBeforeText: boolean;
}

/** Returns the model for a name with either prefix; undefined when no provider has such models. */
export function chooseModel(model: string): ChosenModel | undefined {
  for (const { neutral, product, provider, promptBeforeText = false } of FAMILIES) {
    const prefix = [neutral, product].find((start) => model.startsWith(start));
    if (prefix === undefined || model.length === prefix.length) continue;
    const name = product + model.slice(prefix.length);
    return { provider, family: product.slice(0, -1), name, promptBeforeText };
  }
  return undefined;
}

/** Returns the model for a name that was already validated. */
export function knownModel(model: string): ChosenModel {
  const chosen = chooseModel(model);
  if (!chosen) throw new Error('The model has no provider.');
  return chosen;
}

const listOf = (prefix: 'neutral' | 'product') =>
  FAMILIES.map((family) => family[prefix]).join(', ');

/** The prefixes of model names, for messages. */
export const MODEL_PREFIXES = `${listOf('neutral')} or ${listOf('product')}`;
