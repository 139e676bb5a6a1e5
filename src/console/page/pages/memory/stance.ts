import { stanceOf as stance } from '../../../../features/memory/judgments/stance.ts';

/** Whether a decision is for its item, against it, or neither, as the server counts it. */
export const stanceOf = (decision: string): '1' | '-1' | '0' => `${stance(decision)}`;
