/** Of English text, about. */
const CHARACTERS_PER_TOKEN = 4;

/** How many tokens a text takes, where the provider has not said. */
export const estimatedTokens = (characters: number): number =>
  Math.ceil(characters / CHARACTERS_PER_TOKEN);
