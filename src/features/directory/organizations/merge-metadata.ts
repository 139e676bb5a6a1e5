import { type JsonLimits, jsonProblem } from '../../../platform/json.ts';

type Metadata = Record<string, unknown>;

/** The limits of a resource object's own fields (decisions section 2), which merging could pass. */
const LIMITS: JsonLimits = { maxBytes: 16_384, maxDepth: 32 };

/** Fields that an update gives replace those of the same name; the others stay. */
export const mergeMetadata = (before: Metadata, given: Metadata): Metadata => ({
  ...before,
  ...given,
});

/** Says why metadata cannot be stored, or nothing. */
export function metadataProblem(metadata: Metadata): string | undefined {
  const problem = jsonProblem(metadata, LIMITS);
  return problem && `The metadata ${problem}.`;
}
