import { z } from 'zod';
import { id } from '../../api/fields.ts';
import { allows } from '../../features/access/access.ts';
import { loadAccessTo } from '../../features/access/load-access.ts';
import { explainPermissions } from '../../features/permissions/explain-permissions.ts';
import { unixSeconds } from '../../platform/clock.ts';
import { toolWithHandler } from '../tool.ts';

const explainedAccess = z.object({
  mayRead: z.boolean(),
  mayComment: z.boolean().meta({ description: 'May the person comment, react and suggest edits?' }),
  mayWrite: z.boolean().meta({ description: 'May the person change the content?' }),
  steps: z.array(z.string()).meta({ description: 'The decision, step by step.' }),
});

const NO_ACCESS = {
  mayRead: false,
  mayComment: false,
  mayWrite: false,
  steps: ['The person has no access to this document, or it does not exist.'],
};

/** Explains the access of the agent's user. It does not reveal whether a document exists that the user may not read. */
export const explainAccess = toolWithHandler({
  name: 'explain_access',
  title: 'Explain access',
  description:
    'Whether the person may read a document, comment on it and write to it, and why. Use it after PERMISSION_DENIED.',
  input: z.object({ organizationId: id, documentId: id }),
  output: explainedAccess,
  writes: false,
  async run(ctx, input) {
    const { userId, clock } = ctx;
    const facts = await loadAccessTo(ctx.db, ctx, input);
    const access = facts.accessToDocument(userId, input.documentId, unixSeconds(clock));
    if (!allows(access, 'viewer')) return NO_ACCESS;
    const { steps } = await explainPermissions(ctx, { ...input, userId });
    return {
      mayRead: true,
      mayComment: allows(access, 'commenter'),
      mayWrite: allows(access, 'editor'),
      steps: steps.map(({ message }) => message),
    };
  },
});
