import { type APIError, OpenAI } from 'openai';
import { z } from 'zod';
import {
  type AnswerChunk,
  type AskOptions,
  clientOptions,
  type Finish,
  type ModelAccess,
  type Question,
  type TextModel,
} from '../text-model.ts';

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

export function openaiModel(access: ModelAccess): TextModel {
  // The operator's organization and project must not be used for the customer's call.
  const client = new OpenAI({ ...clientOptions(access), organization: null, project: null });
  return { ask: (question, options) => askChatCompletions(client, question, options) };
}

/**
 * OpenAI's chat completions, which other providers implement too, with the fields that are used
 * here.
 */

const tokens = z.number().int().nonnegative().nullish();
const usage = z.object({ prompt_tokens: tokens, completion_tokens: tokens }).nullish();
const said = z.object({ content: z.string().nullish(), refusal: z.string().nullish() });
const finishReason = z.string().nullish();

const Completion = z.object({
  choices: z.array(z.object({ message: said, finish_reason: finishReason })).min(1),
  usage,
});

const Chunk = z.object({
  choices: z
    .array(z.object({ delta: said.nullish(), finish_reason: finishReason }))
    .nullish()
    .transform((choices) => choices ?? []),
  usage,
});

const FINISHES: Record<string, Finish> = { length: 'cut', content_filter: 'refused' };

async function* askChatCompletions(
  client: OpenAI,
  { model, system, user }: Question,
  { stream, signal }: AskOptions,
): AsyncGenerator<AnswerChunk> {
  const messages = [
    ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
    { role: 'user' as const, content: user },
  ];
  if (!stream) {
    const answer = await client.chat.completions.create({ model, messages }, { signal });
    yield chunkFromCompletion(answer);
    return;
  }
  const chunks = await client.chat.completions.create(
    { model, messages, stream: true, stream_options: { include_usage: true } },
    { signal },
  );
  for await (const chunk of chunks) yield chunkFromEvent(chunk);
}

function chunkFromCompletion(answer: unknown): AnswerChunk {
  const { choices, usage } = Completion.parse(answer);
  const [choice] = choices;
  return {
    text: choice?.message.content ?? undefined,
    finish: finishOf(choice?.message.refusal, choice?.finish_reason ?? 'stop'),
    ...countsOf(usage),
  };
}

/** The chunk with the usage is the last one and has no choices. */
function chunkFromEvent(chunk: unknown): AnswerChunk {
  const { choices, usage } = Chunk.parse(chunk);
  const [choice] = choices;
  return {
    text: choice?.delta?.content ?? undefined,
    finish: finishOf(choice?.delta?.refusal, choice?.finish_reason),
    ...countsOf(usage),
  };
}

function finishOf(
  refusal: string | null | undefined,
  reason: string | null | undefined,
): Finish | undefined {
  if (refusal) return 'refused';
  return reason ? (FINISHES[reason] ?? 'complete') : undefined;
}

const countsOf = (given: z.infer<typeof usage>) => ({
  ...(given?.prompt_tokens != null && { inputTokens: given.prompt_tokens }),
  ...(given?.completion_tokens != null && { outputTokens: given.completion_tokens }),
});
