import type {
  TRPC_ERROR_CODE_KEY,
  TRPC_ERROR_CODE_NUMBER,
  TRPCBuiltRouter,
  TRPCMutationProcedure,
  TRPCQueryProcedure,
  TRPCSubscriptionProcedure,
} from '@trpc/server';
import type {
  FailureDetails,
  Mutation,
  Procedures,
  Query,
  Status,
  Subscription,
  TrackedItem,
} from './contract.ts';

/** The contract as the type of a tRPC router, for `createTRPCClient<ContractRouter>`. */
export type ContractRouter = TRPCBuiltRouter<
  { ctx: ServerOnly; meta: ServerOnly; errorShape: ErrorShape; transformer: true },
  ProceduresOf<Procedures>
>;

type ProceduresOf<Router> = { [Name in keyof Router]: ProcedureOf<Router[Name]> };

type ProcedureOf<Entry> =
  Entry extends Query<infer Input, infer Output>
    ? TRPCQueryProcedure<ProcedureTypes<Input, Output>>
    : Entry extends Mutation<infer Input, infer Output>
      ? TRPCMutationProcedure<ProcedureTypes<Input, Output>>
      : Entry extends Subscription<infer Input, infer Item>
        ? TRPCSubscriptionProcedure<ProcedureTypes<Input, AsyncIterable<TrackedItem<Item>>>>
        : ProceduresOf<Entry>;

interface ProcedureTypes<Input, Output> {
  input: Input;
  output: Output;
  meta: ServerOnly;
  errorShape: ErrorShape;
}

// The context and the metadata of procedures are known only to the server.
// biome-ignore lint/suspicious/noExplicitAny: clients never see them
type ServerOnly = any;

/** The `data` of a failure over tRPC. */
export interface ErrorData {
  code: TRPC_ERROR_CODE_KEY;
  /** The dotted name of the operation. */
  path?: string;
  status: Status;
  httpStatus: number;
  details?: FailureDetails;
}

/** A failure over tRPC. */
export interface ErrorShape {
  code: TRPC_ERROR_CODE_NUMBER;
  message: string;
  data: ErrorData;
}
