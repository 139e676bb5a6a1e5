import Anthropic from '@anthropic-ai/sdk';
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

const PATH = '/v1/messages';

const usage = z
  .object({ input_tokens: tokens, output_tokens: tokens })
  .nullish()
  .transform((counts) => tokenCountsOf(counts?.input_tokens, counts?.output_tokens));
const stopReason = z.string().nullish();

const Message = z.object({
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  stop_reason: stopReason,
  usage,
});

/** The events of a stream, with the fields that are used here. */
const StreamEvent = z.object({
  type: z.string(),
  message: z.object({ usage }).optional(),
  delta: z
    .object({ type: z.string().optional(), text: z.string().optional(), stop_reason: stopReason })
    .optional(),
  usage,
});

const FINISHES: Record<string, Finish> = {
  max_tokens: 'cut',
  model_context_window_exceeded: 'cut',
  refusal: 'refused',
};

export function anthropicModel(access: ModelAccess): AskModel {
  const client = new Anthropic({ ...clientOptions(access), openTelemetry: false });
  return async function* ask({ model, system, user }, { stream, signal }) {
    const body = {
      model,
      max_tokens: maxTokens(model),
      ...(system === undefined ? {} : { system }),
      messages: [{ role: 'user' as const, content: user }],
      stream,
    } satisfies Anthropic.MessageCreateParams;
    // `messages.create` does the same, but also writes to the console for an old model.
    const answer = await client.post<unknown>(PATH, { body, stream, signal });
    if (!stream) yield chunkFromMessage(answer);
    else for await (const event of answer as AsyncIterable<unknown>) yield chunkFromEvent(event);
  };
}

/**
 * The API requires a limit, and refuses one above the model's maximum. The last value here is more
 * than any model can write within the timeout.
 */
function maxTokens(model: string): number {
  if (/^claude-(?:instant|2|3-(?:opus|sonnet|haiku))/.test(model)) return 4_096;
  return model.startsWith('claude-3-5-') ? 8_192 : 16_384;
}

function chunkFromMessage(answer: unknown): AnswerChunk {
  const { content, stop_reason, usage } = Message.parse(answer);
  const texts = content.filter(({ type }) => type === 'text').map(({ text }) => text ?? '');
  return { text: texts.join(''), finish: finishOf(stop_reason ?? 'end_turn'), ...usage };
}

function chunkFromEvent(event: unknown): AnswerChunk {
  const { message, delta, usage } = StreamEvent.parse(event);
  return {
    text: delta?.type === 'text_delta' ? delta.text : undefined,
    finish: finishOf(delta?.stop_reason),
    ...message?.usage,
    ...usage,
  };
}

const finishOf = (reason: string | null | undefined): Finish | undefined =>
  reason ? (FINISHES[reason] ?? 'complete') : undefined;
