// The types of tRPC name `Disposable`, which not every project's `lib` has.
/// <reference lib="esnext.disposable" preserve="true" />

/** The contract for those who use tRPC's own client: `createTRPCClient<ContractRouter>`. */
export type { ContractRouter, ErrorData, ErrorShape } from '../api/contract-router.ts';
