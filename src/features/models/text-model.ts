import { z } from 'zod';

export interface Question {
  /** The product name of the model. */
  model: string;
  system: string | undefined;
  user: string;
}

/** `cut`: the answer reached the model's maximum length. `refused`: the model or a filter declined. */
export type Finish = 'complete' | 'cut' | 'refused';

/** A part of an answer. Its token counts replace those of earlier chunks. */
export interface AnswerChunk {
  text?: string | undefined;
  finish?: Finish | undefined;
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
}

/**
 * Asks a provider's model with one customer's key. Yields the answer in chunks, or as one chunk
 * without `stream`. An answer without a `finish` was interrupted. Errors are those of the provider's
 * library.
 */
export type AskModel = (
  question: Question,
  options: { stream: boolean; signal: AbortSignal },
) => AsyncIterable<AnswerChunk>;

/** A token count as providers report it. */
export const tokens = z.number().int().nonnegative().nullish();

/** Returns the token counts that a provider reported. */
export const tokenCountsOf = (
  inputTokens: number | null | undefined,
  outputTokens: number | null | undefined,
): Pick<AnswerChunk, 'inputTokens' | 'outputTokens'> => ({
  ...(inputTokens != null && { inputTokens }),
  ...(outputTokens != null && { outputTokens }),
});

/** The options of every provider's library. */
export interface ModelAccess {
  baseURL: string;
  apiKey: string;
  timeoutMs: number;
  fetch: typeof fetch;
}

/** Sets all options that the libraries could otherwise read from the environment. */
export const clientOptions = ({ baseURL, apiKey, timeoutMs, fetch }: ModelAccess) => ({
  baseURL,
  apiKey,
  fetch,
  timeout: timeoutMs,
  // The caller decides about retries, since an answer may already have been paid for.
  maxRetries: 0,
  // The libraries would write the provider's messages to the console, and the key with them.
  logLevel: 'off' as const,
});
