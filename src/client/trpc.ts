/** The contract for those who use tRPC's own client: `createTRPCClient<ContractRouter>`. */
export type { ContractRouter, ErrorData, ErrorShape } from '../api/contract-router.ts';
