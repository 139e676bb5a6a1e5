import { z } from 'zod';

export interface Question {
  /** The product name of the model. */
  model: string;
  system: string | undefined;
  user: string;
}

/** `cut`: the answer reached the model's maximum. `refused`: the model or a filter declined. */
export type Finish = 'complete' | 'cut' | 'refused';

/** A part of an answer. Its numbers of tokens replace those of earlier chunks. */
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

/** A number of tokens as providers report it. */
export const tokens = z.number().int().nonnegative().nullish();

/** Returns the numbers of tokens that a provider reported. */
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

/** Sets all options of the libraries that could otherwise come from the environment. */
export const clientOptions = ({ baseURL, apiKey, timeoutMs, fetch }: ModelAccess) => ({
  baseURL,
  apiKey,
  fetch,
  timeout: timeoutMs,
  // The caller decides about retries, since an answer may have been paid for already.
  maxRetries: 0,
  // Logging is off, since the libraries would write the provider's messages, with the key, to the
  // console.
  logLevel: 'off' as const,
});
