export type ContentMismatchReason = 'data_type' | 'root_type' | 'too_deep' | 'too_large';

/** Content that cannot be stored or read as requested. `message` is a sentence for the caller. */
export class ContentMismatch extends Error {
  override readonly name = 'ContentMismatch';
  readonly reason: ContentMismatchReason;

  constructor(reason: ContentMismatchReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
