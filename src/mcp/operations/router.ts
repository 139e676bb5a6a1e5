import { mergeRouters, router } from '../../api/procedures.ts';
import {
  FindDocuments,
  findDocuments,
  foundDocuments,
} from '../../features/directory/documents/find-documents.ts';
import { appRouter } from '../../features/index.ts';
import { agentOperation } from './agent-operation.ts';
import { anchorQuote } from './anchor-quote.ts';
import { changesSince } from './changes-since.ts';
import { explainAccess } from './explain-access.ts';
import { followDocument } from './follow-document.ts';
import { memoryOperations } from './memory.ts';

/**
 * Operations that only API keys may call, limited to what the user of the token may know. Each answers
 * for that user alone.
 */
const agentRouter = router({
  agents: router({
    ...memoryOperations,
    findDocuments: agentOperation
      .input(FindDocuments)
      .output(foundDocuments)
      .query(({ ctx, input }) => findDocuments(ctx, input)),
    anchorQuote,
    changesSince,
    explainAccess,
    followDocument,
  }),
});

/** All operations of the API, and those of agents. */
export const agentApi = mergeRouters(appRouter, agentRouter);
