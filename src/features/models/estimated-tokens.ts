/** An average for English text. */
const CHARACTERS_PER_TOKEN = 4;

/** Estimates the tokens of a text for which the provider gave no count. */
export const estimatedTokens = (characters: number): number =>
  Math.ceil(characters / CHARACTERS_PER_TOKEN);
