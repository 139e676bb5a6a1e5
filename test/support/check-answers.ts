import assert from 'node:assert';
import { declared } from '../../src/api/responses/declared-output.ts';
import { writeJson } from '../../src/platform/json.ts';

/** Every answer has what its schema declares, and no field that clients do not know of. */
declared.check = (schema, answer) => {
  const sent: unknown = answer === undefined ? undefined : JSON.parse(writeJson(answer));
  assert.deepStrictEqual(schema.parse(sent), sent);
};
