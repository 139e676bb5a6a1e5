import { type APIError, OpenAI } from 'openai';
import { z } from 'zod';
import {
  type AnswerChunk,
  type AskModel,
  clientOptions,
  type Finish,
  type ModelAccess,
  tokenCountsOf,
  tokens,
} from '../text-model.ts';

/** A model of Gemini, through Gemini's endpoint for the API of OpenAI's chat completions. */
export const geminiModel = (access: ModelAccess): AskModel => openaiModel(access, GeminiClient);

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

/** A model behind the API of OpenAI's chat completions, which other providers implement, too. */
export function openaiModel(access: ModelAccess, Client = OpenAI): AskModel {
  // Keeps the library from adding an organization or project of the operator to the customer's call.
  const client = new Client({ ...clientOptions(access), organization: null, project: null });
  const { completions } = client.chat;
  return async function* ask({ model, system, user }, { stream, signal }) {
    const messages = [
      ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
      { role: 'user' as const, content: user },
    ];
    if (!stream) {
      yield chunkFromCompletion(await completions.create({ model, messages }, { signal }));
      return;
    }
    const chunks = await completions.create(
      { model, messages, stream: true, stream_options: { include_usage: true } },
      { signal },
    );
    for await (const chunk of chunks) yield chunkFromEvent(chunk);
  };
}

const usage = z
  .object({ prompt_tokens: tokens, completion_tokens: tokens })
  .nullish()
  .transform((counts) => tokenCountsOf(counts?.prompt_tokens, counts?.completion_tokens));
const messagePart = z.object({ content: z.string().nullish(), refusal: z.string().nullish() });
const finishReason = z.string().nullish();

const Completion = z.object({
  choices: z.array(z.object({ message: messagePart, finish_reason: finishReason })).min(1),
  usage,
});

const Chunk = z.object({
  choices: z
    .array(z.object({ delta: messagePart.nullish(), finish_reason: finishReason }))
    .nullish()
    .transform((choices) => choices ?? []),
  usage,
});

const FINISHES: Record<string, Finish> = { length: 'cut', content_filter: 'refused' };

function chunkFromCompletion(answer: unknown): AnswerChunk {
  const { choices, usage } = Completion.parse(answer);
  const [choice] = choices;
  return { ...chunkOf(choice?.message, choice?.finish_reason ?? 'stop'), ...usage };
}

/** The chunk with the usage is the last one and has no choices. */
function chunkFromEvent(chunk: unknown): AnswerChunk {
  const { choices, usage } = Chunk.parse(chunk);
  const [choice] = choices;
  return { ...chunkOf(choice?.delta, choice?.finish_reason), ...usage };
}

function chunkOf(
  part: z.infer<typeof messagePart> | null | undefined,
  reason: string | null | undefined,
): AnswerChunk {
  const finish = reason ? (FINISHES[reason] ?? 'complete') : undefined;
  return { text: part?.content ?? undefined, finish: part?.refusal ? 'refused' : finish };
}
