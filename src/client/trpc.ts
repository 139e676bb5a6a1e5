// tRPC's types refer to `Disposable`, which not every project's `lib` declares.
/// <reference lib="esnext.disposable" preserve="true" />

/** The contract, for use with tRPC's own client: `createTRPCClient<ContractRouter>`. */
export type { ContractRouter, ErrorData, ErrorShape } from '../api/contract-router.ts';
