/**
 * A subject that people decide about again and again, in the words of several people. An item is a
 * matter with a detail; long items add asides of the subject and sentences that every item of the
 * genre may have.
 */
export interface SetTopic {
  name: string;
  /** What the decision hangs on. */
  rule: 'detail' | 'limit' | 'always' | 'never';
  /**
   * What makes the rule differ: in one organization, since a day, since a day for one kind of item
   * only, or by who decides.
   */
  twist?: 'organization' | 'turned' | 'turned for one kind' | 'conflict';
  matters: string[];
  /** The same matters in words that only questions use. */
  paraphrases: string[];
  /** Details with which an item passes and fails. With a limit, {n} is below it or above it. */
  passes: string[];
  fails: string[];
  limit?: number;
  asides: string[];
}

/** A kind of text, with the sentences that any of them may have. */
export interface Genre {
  name: string;
  topics: SetTopic[];
  fillers: string[];
}
