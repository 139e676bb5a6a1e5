import Anthropic from '@anthropic-ai/sdk';
import { z } from 'zod';
import {
  type AskOptions,
  clientOptions,
  type Finish,
  type ModelAccess,
  type Piece,
  type Question,
  type TextModel,
} from '../text-model.ts';

export function anthropicModel(access: ModelAccess): TextModel {
  const client = new Anthropic({ ...clientOptions(access), openTelemetry: false });
  return { ask: (question, options) => askMessages(client, question, options) };
}

const PATH = '/v1/messages';

const tokens = z.number().int().nonnegative().nullish();
const usage = z.object({ input_tokens: tokens, output_tokens: tokens }).nullish();
const stopReason = z.string().nullish();

const Message = z.object({
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  stop_reason: stopReason,
  usage,
});

/** The events of a stream, as far as one of these fields says something to us. */
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

async function* askMessages(
  client: Anthropic,
  { model, system, user }: Question,
  { stream, signal }: AskOptions,
): AsyncGenerator<Piece> {
  const body = {
    model,
    max_tokens: mostTokens(model),
    ...(system === undefined ? {} : { system }),
    messages: [{ role: 'user' as const, content: user }],
    stream,
  } satisfies Anthropic.MessageCreateParams;
  // `messages.create` does the same, and writes to the console when the model is an old one.
  const answer = await client.post<unknown>(PATH, { body, stream, signal });
  if (!stream) yield pieceOfMessage(answer);
  else for await (const event of answer as AsyncIterable<unknown>) yield pieceOfEvent(event);
}

/**
 * The API asks for a bound, and refuses one above what the model can write. No model writes more
 * than the last of these in the time that it has.
 */
function mostTokens(model: string): number {
  if (/^claude-(?:instant|2|3-(?:opus|sonnet|haiku))/.test(model)) return 4_096;
  return model.startsWith('claude-3-5-') ? 8_192 : 16_384;
}

function pieceOfMessage(answer: unknown): Piece {
  const { content, stop_reason, usage } = Message.parse(answer);
  const texts = content.filter(({ type }) => type === 'text').map(({ text }) => text ?? '');
  return { text: texts.join(''), finish: finishOf(stop_reason ?? 'end_turn'), ...countsOf(usage) };
}

function pieceOfEvent(event: unknown): Piece {
  const { message, delta, usage } = StreamEvent.parse(event);
  return {
    text: delta?.type === 'text_delta' ? delta.text : undefined,
    finish: finishOf(delta?.stop_reason),
    ...countsOf(message?.usage),
    ...countsOf(usage),
  };
}

const finishOf = (reason: string | null | undefined): Finish | undefined =>
  reason ? (FINISHES[reason] ?? 'complete') : undefined;

const countsOf = (given: z.infer<typeof usage>) => ({
  ...(given?.input_tokens != null && { inputTokens: given.input_tokens }),
  ...(given?.output_tokens != null && { outputTokens: given.output_tokens }),
});
