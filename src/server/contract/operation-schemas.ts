import { z } from 'zod';
import { definitionOf } from '../../api/trpc-internals.ts';
import type { Operation } from '../rest.ts';

/** Returns the schemas of an operation. @throws Error unless it has exactly one input and one output */
export function schemasOf({ name, procedure }: Operation): { input: z.ZodType; output: z.ZodType } {
  const { inputs, output } = definitionOf(procedure);
  const [input] = inputs;
  if (!input || inputs.length > 1 || !output) {
    throw new Error(`${name} must have one input schema and one output schema.`);
  }
  return { input, output };
}

export const isWrite = ({ procedure }: Operation): boolean =>
  definitionOf(procedure).type === 'mutation';

/** Whether the output is that of a write without `data`. */
export const isEmptyOutput = (output: z.ZodType): boolean => output instanceof z.ZodUndefined;
