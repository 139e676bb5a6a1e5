import type { NewComment, NewCommentAnnotation } from '../../src/api/contract.ts';
import {
  authorOf,
  type DemoDocument,
  DOCUMENTS,
  type Person,
  REACTIONS,
  SLOTS,
  TEXTS,
  writersOf,
} from './company.ts';
import { Random } from './random.ts';
import { BODY } from './write-acts.ts';

/** The state of an annotation after its discussion. */
type Outcome = 'open' | 'in progress' | 'resolved' | 'approved' | 'rejected';

/** An annotation, and everything that people then do with it. */
export interface Thread {
  document: DemoDocument;
  annotationId: string;
  /** The annotation, with the replies that are added together with it. */
  annotation: NewCommentAnnotation;
  /** Replies that are added later. */
  replies: NewComment[];
  reactions: Array<{ userId: string; icon: string }>;
  outcome: Outcome;
  /** The user who decides about the annotation; never its author. */
  decider: Person;
  readers: string[];
}

/** The id of the comment that opens an annotation. */
export const FIRST_COMMENT = 1;

/** The agents that comment and suggest edits for people. */
const AGENTS = {
  clauses: { agentId: 'clause-checker', agentType: 'custom', name: 'Clause checker' },
  style: { agentId: 'style-guide', agentType: 'custom', name: 'Style guide' },
} as const;

const PRIORITIES = [
  { id: 'P0', name: 'Urgent', color: '#E5484D' },
  { id: 'P1', name: 'High', color: '#F5A623' },
  { id: 'P2', name: 'Normal', color: '#625DF5' },
];

/** Makes the annotations of the demo. They are the same in every run, and spread unevenly over the documents. */
export function makeThreads(count: number): Thread[] {
  const random = new Random(7);
  return Array.from({ length: count }, (_, n) => makeThread(n, random));
}

function makeThread(n: number, random: Random): Thread {
  // The square makes the first documents busier than the last ones.
  const document = DOCUMENTS[Math.floor(DOCUMENTS.length * random.next() ** 2)] as DemoDocument;
  const people = writersOf(document);
  const author = random.pick(people);
  const others = people.filter((person) => person !== author);
  // Only a few people decide about the annotations of a document.
  const decider = random.pick(others.slice(0, 3));
  const annotationId = `demo-${String(n + 1).padStart(4, '0')}`;
  const isSuggestion = random.chance(0.15);
  const { comment, ...opening } = isSuggestion
    ? suggestionOf(document, author, random)
    : commentOf(document, author, others, random);
  const replies = repliesOf(document, [...others, author], random);
  const repliesComeLater = random.chance(0.4);
  return {
    document,
    annotationId,
    annotation: {
      annotationId,
      ...opening,
      commentData: [{ commentId: FIRST_COMMENT, ...comment }, ...(repliesComeLater ? [] : replies)],
      ...locationOf(document, random),
      ...assignmentOf(author, others, random),
    },
    replies: repliesComeLater ? replies : [],
    reactions: random.chance(0.1) ? reactionsOf(others, random) : [],
    outcome: outcomeOf(isSuggestion, random),
    decider,
    readers: random.chance(0.15) ? random.some(others, 2).map(({ userId }) => userId) : [],
  };
}

/** A location in the document, as frontends store it. */
function locationOf(document: DemoDocument, random: Random) {
  const section = random.pick(TEXTS[document.kind].sections)[0];
  const location = { editorId: BODY, section, locationId: section.toLowerCase() };
  return { location, metadata: { demo: true } };
}

function commentOf(document: DemoDocument, author: Person, others: Person[], random: Random) {
  const commentText = random.fill(random.pick(TEXTS[document.kind].comments), SLOTS);
  const comment = random.chance(0.35)
    ? mention(random.pick(others), commentText)
    : { commentText, triggerNotification: random.chance(0.5) };
  return { type: 'comment' as const, comment: { from: authorOf(author), ...comment } };
}

const mention = (person: Person, text: string) => ({
  commentText: `@${person.name} ${text}`,
  taggedUserContacts: [{ userId: person.userId, text: `@${person.name}` }],
  triggerNotification: true,
});

/** Makes a suggestion. A third of all suggestions come from an agent that works for the author. */
function suggestionOf(document: DemoDocument, author: Person, random: Random) {
  const suggested = random.pick(TEXTS[document.kind].suggestions);
  const [oldText, newText, commentText] = suggested.map((text) => random.fill(text, SLOTS));
  const ofAgent = document.kind === 'contract' ? AGENTS.clauses : AGENTS.style;
  const agent = random.chance(0.33) ? { agent: { ...ofAgent, executionId: 'demo' } } : {};
  const comment = { from: authorOf(author), commentText, triggerNotification: false, ...agent };
  const suggestion = { oldText, newText, status: 'pending' };
  return { type: 'suggestion' as const, suggestion, comment };
}

function assignmentOf(author: Person, others: Person[], random: Random) {
  const assignee = random.pick(others);
  const viewerIds = [author, ...random.some(others, 2)].map(({ userId }) => userId);
  return {
    ...(random.chance(0.15) && { assignedTo: authorOf(assignee) }),
    ...(random.chance(0.2) && { priority: random.pick(PRIORITIES) }),
    ...(random.chance(0.04) && { visibility: { type: 'restricted' as const, userIds: viewerIds } }),
  };
}

function repliesOf(document: DemoDocument, people: Person[], random: Random): NewComment[] {
  const count = random.chance(0.45) ? 0 : 1 + random.below(3);
  return random.some(TEXTS[document.kind].replies, count).map((reply) => ({
    from: authorOf(random.pick(people)),
    commentText: random.fill(reply, SLOTS),
    triggerNotification: random.chance(0.3),
  }));
}

function reactionsOf(people: Person[], random: Random) {
  return random
    .some(people, 1 + random.below(3))
    .map(({ userId }) => ({ userId, icon: random.pick(REACTIONS) }));
}

function outcomeOf(isSuggestion: boolean, random: Random): Outcome {
  const share = random.next();
  if (isSuggestion) return share < 0.3 ? 'approved' : share < 0.4 ? 'rejected' : 'open';
  if (share < 0.35) return 'resolved';
  if (share < 0.47) return 'in progress';
  if (share < 0.49) return 'approved';
  return share < 0.5 ? 'rejected' : 'open';
}
