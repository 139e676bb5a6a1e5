import { recordIds } from '../../features/memory/judgments/schema.ts';
import { suggestions } from '../../features/memory/suggest/schema.ts';
import { foundPrecedents, JudgmentInput, MemoryQuestion } from '../operations/memory.ts';
import { type AnyTool, tool } from '../tool.ts';

const search = tool({
  name: 'memory_search',
  title: 'Search earlier decisions',
  description:
    'Earlier decisions about items like the one described, the most similar first, as far as the person may read the documents that they are about.',
  input: MemoryQuestion,
  output: foundPrecedents,
  writes: false,
  run: ({ operations }, input) => operations.agents.memorySearch(input),
});

const suggest = tool({
  name: 'memory_suggest',
  title: 'Suggest a decision',
  description:
    'The decision that earlier ones about similar items suggest, with its confidence, reasons and caveats. Null when the person may see too few of them.',
  input: MemoryQuestion,
  output: suggestions,
  writes: false,
  run: ({ operations }, input) => operations.agents.memorySuggest(input),
});

const record = tool({
  name: 'record_judgment',
  title: 'Record a judgment',
  description:
    'Records a decision about an item in a document as a precedent that an agent made for the person. Give the reason that a reviewer would give.',
  input: JudgmentInput,
  output: recordIds,
  writes: true,
  run: ({ operations }, input) => operations.agents.recordJudgment(input),
});

export const memoryTools: AnyTool[] = [search, suggest, record];
