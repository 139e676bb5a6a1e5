import type { z } from 'zod';

/** `check` does nothing until tests replace it, to compare each output with its schema. */
export const declared = { check: (_schema: z.ZodType, _output: unknown): void => undefined };

/**
 * Returns a copy of the schema of a procedure's output. The copy documents the output, but accepts any
 * value: types already make presenters keep to the schema, and checking each output would take a tenth of
 * the processor time of a list, so only tests do that.
 */
export const declaredOutput = <Schema extends z.ZodType>(schema: Schema): Schema =>
  Object.assign(schema.clone(), {
    parse: (output: unknown) => {
      declared.check(schema, output);
      return output;
    },
  });
