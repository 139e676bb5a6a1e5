import { mergeRouters, router } from '../../api/procedures.ts';
import { appRouter } from '../../features/index.ts';
import { anchorQuote } from './anchor-quote.ts';
import { followDocument } from './follow-document.ts';

/** All operations of the API, and the operations that only agents need. */
export const agentApi = mergeRouters(
  appRouter,
  router({ agents: router({ anchorQuote, followDocument }) }),
);
