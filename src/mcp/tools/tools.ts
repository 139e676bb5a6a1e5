import type { AnyTool } from '../tool.ts';
import { documentTools } from './documents.ts';
import { memoryTools } from './memory.ts';
import { quoteTools } from './quotes.ts';
import { threadWriteTools } from './thread-writes.ts';
import { threadTools } from './threads.ts';

/** The tools of agents, in the order in which clients list them. */
export const TOOLS: AnyTool[] = [
  ...documentTools,
  ...threadTools,
  ...threadWriteTools,
  ...quoteTools,
  ...memoryTools,
];
