import { OpenAI } from 'openai';
import { clientOptions, type ModelAccess, type TextModel } from '../text-model.ts';
import { askChatCompletions } from './chat-completions.ts';

export function openaiModel(access: ModelAccess): TextModel {
  // The operator's organization and project must not be used for the customer's call.
  const client = new OpenAI({ ...clientOptions(access), organization: null, project: null });
  return { ask: (question, options) => askChatCompletions(client, question, options) };
}
