import { apiKeyOperation, router, subscriptionOperation } from '../../api/procedures.ts';
import { askAi } from './ask-model.ts';
import { AskAi, askAiAnswer, askAiItem, StreamAnswer } from './schema.ts';
import { streamAnswer } from './stream-answer.ts';

export const rewriterRouter = router({
  // Each call costs the customer money, so this is a mutation: an Idempotency-Key prevents duplicates.
  askAi: apiKeyOperation({
    path: '/v2/rewriter/ask-ai',
    summary: 'Ask AI',
    description:
      "Asks a model to rewrite or process a text. The prefix of the model's name decides which provider is asked, with the workspace's API key for it: `gen-` (`gpt-`), `r1-` (`o1-`), `r3-` (`o3-`) and `r4-` (`o4-`) OpenAI, `asst-` (`claude-`) Anthropic, `lang-` (`gemini-`) Gemini. A failure of the provider gives a response with `success: false`, and is not retried. A call ends when its caller disconnects.",
    message: "The model's answer, or the failure of its provider.",
    envelope: 'bare',
    countsInFlight: false,
    example: {
      request: {
        model: 'gen-4o',
        prompt: 'Make this friendlier. Answer with the text alone.',
        text: 'Your invoice is late.',
      },
      response: { success: true, text: 'We noticed that your invoice is still open.' },
    },
  })
    .input(AskAi)
    .output(askAiAnswer)
    .mutation(({ ctx, input }) => askAi(ctx, input)),

  stream: subscriptionOperation({
    summary: 'Stream an answer',
    description:
      'Like `rewriter.askAi`, but streams the answer: chunks of text, and then one item that says how it ended. Users may subscribe if the API key has allowUserRewrites. A user may have 2 calls in progress, and start 20 in a minute. A call that is interrupted because its connection breaks is not repeated.',
    item: askAiItem,
  })
    .input(StreamAnswer)
    .subscription(({ ctx, input }) => streamAnswer({ ...ctx, signal: ctx.ending }, input)),
});
