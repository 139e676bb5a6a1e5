import type { OpenAI } from 'openai';
import { z } from 'zod';
import type { AnswerChunk, AskOptions, Finish, Question } from '../text-model.ts';

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

export async function* askChatCompletions(
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
