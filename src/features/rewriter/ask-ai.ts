import type { KeyContext } from '../../api/context.ts';
import { askModel } from './ask-model.ts';
import type { AskAiAnswer, AskAiInput } from './schema.ts';

/** Returns the whole answer of a model (specification 4.9). An incomplete answer is a failure. */
export async function askAi(ctx: KeyContext, input: AskAiInput): Promise<AskAiAnswer> {
  let text = '';
  for await (const item of askModel(ctx, input, false)) {
    if (item.type === 'error') return { success: false, error: item.error };
    if (item.type === 'text') text += item.text;
  }
  return { success: true, text };
}
