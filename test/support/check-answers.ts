import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { declared } from '../../src/api/responses/declared-output.ts';
import { writeJson } from '../../src/platform/json.ts';

/** Every answer has what its schema declares, and no field that clients do not know of. */
declared.check = (schema, answer) => {
  const sent: unknown = answer === undefined ? undefined : JSON.parse(writeJson(answer));
  if (isDeepStrictEqual(schema.parse(sent), sent)) return;
  const message = `The answer has more than its schema declares: ${JSON.stringify(sent)}`;
  // tRPC takes any other error for that of a schema that has to be parsed asynchronously.
  throw new z.ZodError([{ code: 'custom', path: [], message, input: sent }]);
};
