import { type JsonLimits, jsonProblem } from '../../../platform/json.ts';

type Metadata = Record<string, unknown>;

/** The limits of metadata (decisions section 2), which merging could exceed. */
const LIMITS: JsonLimits = { maxBytes: 16_384, maxDepth: 32 };

/** Given fields replace stored ones of the same name; other fields stay. */
export const mergeMetadata = (before: Metadata, given: Metadata): Metadata => ({
  ...before,
  ...given,
});

/** Returns the reason why metadata cannot be stored, if any. */
export function metadataProblem(metadata: Metadata): string | undefined {
  const problem = jsonProblem(metadata, LIMITS);
  return problem && `The metadata ${problem}.`;
}
