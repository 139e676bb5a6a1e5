import type { ThreadStore } from '@blocknote/core/comments';
import type { CollaborationThreadStore } from '../../src/client/blocknote.ts';

/** Our store is one of BlockNote's, with the newest types of BlockNote. */
declare const ours: CollaborationThreadStore;
export const theirs: ThreadStore = ours;
