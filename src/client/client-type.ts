import type {
  CommentAnnotation,
  CommentAnnotationsGetInput,
  Mutation,
  Procedures,
  Query,
  Subscription,
} from '../api/contract.ts';
import type { Semaphore } from './semaphore.ts';

export interface CallOptions {
  /** Cancels the call. It then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** @internal Makes only one attempt, for a caller that retries the call itself. */
  singleAttempt?: boolean | undefined;
}

export interface StreamOptions extends CallOptions {
  /**
   * Called when the subscription has begun. Read the current state after that: no change is then missing
   * between this state and the items.
   */
  onStart?: (() => void) | undefined;
}

export interface WriteOptions extends CallOptions {
  /**
   * Within 24 hours, calls with the same key and input take effect only once. By default, each call has a
   * random key, which only its own retries share.
   */
  idempotencyKey?: string | undefined;
  /** @internal A semaphore with one permit. The write is sent after all earlier writes with the same semaphore. */
  writeQueue?: Semaphore | undefined;
}

type Read<Input, Output> = (input: Input, options?: CallOptions) => Promise<Output>;
type Write<Input, Output> = (input: Input, options?: WriteOptions) => Promise<Output>;
type Stream<Input, Item, Options = CallOptions> = (
  input: Input,
  options?: Options,
) => AsyncIterable<Item>;

type Call<Entry> =
  Entry extends Query<infer Input, infer Output>
    ? Read<Input, Output>
    : Entry extends Mutation<infer Input, infer Output>
      ? Write<Input, Output>
      : Entry extends Subscription<infer Input, infer _Item>
        ? Stream<Input, Entry['item'], StreamOptions>
        : Calls<Entry>;

/** Adds `pages` beside a `get` that returns pages. It takes the same input, and yields one page after the other. */
type Pages<Router> = Router extends { get: Query<infer Input, infer Output> }
  ? Input extends { pageToken?: string | undefined }
    ? { pages: Stream<Input, Output> }
    : unknown
  : unknown;

type Calls<Router> = { [Name in keyof Router]: Call<Router[Name]> } & Pages<Router>;

/** Every operation and subscription by its dotted name, such as `documents.get`. */
export type Operations = GetAnnotations & Calls<Procedures>;

/** Without grouping, `data` is a list of annotations, with `null` for an id that does not exist. */
interface GetAnnotations {
  commentAnnotations: {
    get(
      input: CommentAnnotationsGetInput & { groupByDocumentId?: false },
      options?: CallOptions,
    ): Promise<AnnotationsPage<Array<CommentAnnotation | null>>>;
    get(
      input: CommentAnnotationsGetInput & { groupByDocumentId: true },
      options?: CallOptions,
    ): Promise<AnnotationsPage<Record<string, CommentAnnotation[]>>>;
  };
}

interface AnnotationsPage<Data> {
  data: Data;
  nextPageToken?: string;
}
