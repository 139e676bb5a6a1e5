/** What a model is asked. */
export interface Question {
  /** The product name. */
  model: string;
  /** The system prompt, where there is one. */
  system: string | undefined;
  user: string;
}

/** `cut`: the answer reached the most that the model writes. `refused`: it declined, or a filter did. */
export type Finish = 'complete' | 'cut' | 'refused';

/** What has come of an answer. Counts replace earlier ones. */
export interface Piece {
  text?: string | undefined;
  finish?: Finish | undefined;
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
}

/** A provider of models, ready to be asked with one customer's key. */
export interface TextModel {
  /**
   * The answer in pieces as they come, or, unless `stream` is set, in one. An answer without a
   * `finish` broke off. Failures are thrown as the provider's library throws them.
   */
  ask(question: Question, options: AskOptions): AsyncIterable<Piece>;
}

export interface AskOptions {
  stream: boolean;
  signal: AbortSignal;
}

/** What every provider's library needs to know. */
export interface ModelAccess {
  baseURL: string;
  apiKey: string;
  timeoutMs: number;
  fetch: typeof fetch;
}

/** How the providers' libraries are set up: all that they would decide by themselves is said. */
export const clientOptions = ({ baseURL, apiKey, timeoutMs, fetch }: ModelAccess) => ({
  baseURL,
  apiKey,
  fetch,
  timeout: timeoutMs,
  // The caller decides whether to try again: an answer may have been paid for already.
  maxRetries: 0,
  // They would write to the console, with what the provider said, which may be the key.
  logLevel: 'off' as const,
});
