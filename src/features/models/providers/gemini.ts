import { type APIError, OpenAI } from 'openai';
import { clientOptions, type ModelAccess, type TextModel } from '../text-model.ts';
import { askChatCompletions } from './chat-completions.ts';

/** Gemini through its endpoint for OpenAI's chat completions. */
export function geminiModel(access: ModelAccess): TextModel {
  const client = new GeminiClient({ ...clientOptions(access), organization: null, project: null });
  return { ask: (question, options) => askChatCompletions(client, question, options) };
}

/** Gemini wraps errors in an array, which the library does not read. */
class GeminiClient extends OpenAI {
  override makeStatusError(
    status: number,
    failure: object,
    message: string | undefined,
    headers: Headers,
  ): APIError {
    const inner: unknown = Array.isArray(failure) ? failure[0] : failure;
    return super.makeStatusError(status, Object(inner), message, headers);
  }
}
