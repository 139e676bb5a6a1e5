import type { KeyContext } from '../../api/context.ts';
import { askModel } from './ask-model.ts';
import type { AskAiAnswer, AskAiInput } from './schema.ts';

/** The whole answer of a model (specification 4.9). One that is not whole is a problem. */
export async function askAi(ctx: KeyContext, input: AskAiInput): Promise<AskAiAnswer> {
  let text = '';
  for await (const item of askModel(ctx, input, false)) {
    if (item.type === 'error') return { success: false, error: item.error };
    if (item.type === 'text') text += item.text;
  }
  return { success: true, text };
}
