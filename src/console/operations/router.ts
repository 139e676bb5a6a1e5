import { router } from '../../api/procedures.ts';
import { accessRouter } from './access.ts';
import { auditRouter } from './audit.ts';
import { directoryRouter } from './directory.ts';
import { emailsRouter } from './emails.ts';
import { consoleEventsRouter } from './events.ts';
import { consoleFeedbackRouter } from './feedback.ts';
import { keysRouter } from './keys.ts';
import { liveDocumentsRouter } from './live-documents/operations.ts';
import { consoleMemoryRouter } from './memory.ts';
import { overviewRouter } from './overview.ts';
import { requestsRouter } from './requests.ts';
import { searchRouter } from './search.ts';
import { consoleWebhooksRouter } from './webhooks.ts';

/**
 * Operations that only the console has, in addition to those of the API, such as `console.keys.list`.
 * Their responses have types but no schemas, since only the page of the same build reads them.
 */
export const consoleRouter = router({
  console: router({
    access: accessRouter,
    audit: auditRouter,
    directory: directoryRouter,
    emails: emailsRouter,
    events: consoleEventsRouter,
    feedback: consoleFeedbackRouter,
    keys: keysRouter,
    liveDocuments: liveDocumentsRouter,
    overview: overviewRouter,
    requests: requestsRouter,
    memory: consoleMemoryRouter,
    search: searchRouter,
    webhooks: consoleWebhooksRouter,
  }),
});

export type ConsoleRouter = typeof consoleRouter;
