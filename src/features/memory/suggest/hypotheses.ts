import type { SimilarJudgment } from '../retrieve/find-similar.ts';

/** An item that a decision is asked for. */
export interface Question {
  query: string;
  organizationId?: string | undefined;
  documentId?: string | undefined;
  now: number;
}

const DAY_MS = 86_400_000;
/** How long it takes until decisions have lost most of what they have in common (1/e is left). */
const MEMORY_DAYS = 600;
/** How much decisions in different documents have in common. */
const OTHER_DOCUMENT = 0.9;
/** How much is left of that before and after a change. */
const ACROSS_CHANGE = 0.005;
/** An own rule says the opposite of the others' rule, so that their judgments tell about it, too. */
const ACROSS_RULE = -0.8;
/** A change separates at least so many judgments, and is looked for at so many times. */
const LEAST_PART = 3;
const CHANGES = 12;
/** Assumes that decisions changed at a time, or that a place has a rule of its own. */
export interface Hypothesis {
  covariance: Float64Array;
  /** The time of the change, if one is assumed. */
  change: number | undefined;
  /** The logarithm of its probability beforehand, less a constant. */
  prior: number;
}

/** All combinations of a change, or none, with a place that has an own rule, or none. */
export function hypothesesOf(question: Question, found: SimilarJudgment[]): Hypothesis[] {
  const items = [
    ...found,
    { ...question, createdMs: question.now, organizationId: question.organizationId ?? null },
  ];
  const usual = matrixOf(items, (a, b) => inTime(a, b) * inPlace(a, b, question));
  const times = found.map(({ createdMs }) => createdMs).sort((a, b) => a - b);
  const step = Math.max(1, Math.floor(times.length / CHANGES));
  const changes = times.filter(
    (_, index) =>
      index >= LEAST_PART &&
      index <= times.length - LEAST_PART &&
      (index - LEAST_PART) % step === 0,
  );
  const rules = [undefined, ...ownPlaces(question, found)];
  return [undefined, ...changes].flatMap((change) =>
    rules.map((isOwn): Hypothesis => {
      const apart = matrixOf(
        items,
        (a, b) =>
          (change === undefined || a.createdMs >= change === b.createdMs >= change
            ? 1
            : ACROSS_CHANGE) * (isOwn === undefined || isOwn(a) === isOwn(b) ? 1 : ACROSS_RULE),
      );
      const prior = change === undefined ? 0 : -Math.log(changes.length);
      const covariance = apart.map((value, index) => value * (usual[index] ?? 0));
      return { covariance, change, prior };
    }),
  );
}

interface Placed {
  organizationId?: string | null | undefined;
  documentId?: string | null | undefined;
  createdMs: number;
}

const inTime = (a: Placed, b: Placed): number =>
  Math.exp(-Math.abs(a.createdMs - b.createdMs) / (MEMORY_DAYS * DAY_MS));

/** A question about all content is as near to one organization as to another. */
function inPlace(a: Placed, b: Placed, question: Question): number {
  const isAboutAll = question.organizationId === undefined && 'now' in a !== 'now' in b;
  if (isAboutAll) return 1;
  const isSame =
    (a.organizationId ?? null) === (b.organizationId ?? null) &&
    (a.documentId ?? null) === (b.documentId ?? null);
  return isSame ? 1 : OTHER_DOCUMENT;
}

/** The organization and the document of a question, where judgments are inside and outside. */
function ownPlaces(
  { organizationId, documentId }: Question,
  found: SimilarJudgment[],
): Array<(item: Placed) => boolean> {
  if (organizationId === undefined) return [];
  const inOrganization = (item: Placed) => item.organizationId === organizationId;
  const inDocument = (item: Placed) => inOrganization(item) && item.documentId === documentId;
  const places = documentId === undefined ? [inOrganization] : [inOrganization, inDocument];
  return places.filter((isOwn) => found.some(isOwn) && !found.every(isOwn));
}

function matrixOf<Item>(items: Item[], entryOf: (a: Item, b: Item) => number): Float64Array {
  const size = items.length;
  const matrix = new Float64Array(size * size);
  items.forEach((a, i) => {
    items.slice(0, i + 1).forEach((b, j) => {
      const value = entryOf(a, b);
      matrix[i * size + j] = value;
      matrix[j * size + i] = value;
    });
  });
  return matrix;
}
