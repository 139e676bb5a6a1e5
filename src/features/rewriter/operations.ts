import { apiKeyOperation, router, subscriptionOperation } from '../../api/procedures.ts';
import { askAi } from './ask-model.ts';
import { AskAi, askAiAnswer, askAiItem, StreamAnswer } from './schema.ts';
import { streamAnswer } from './stream-answer.ts';

export const rewriterRouter = router({
  // Each call costs the customer money, so an Idempotency-Key prevents duplicates as for a write.
  askAi: apiKeyOperation({
    path: '/v2/rewriter/ask-ai',
    summary: 'Ask AI',
    description:
      "Asks a model to rewrite or process a text. The model's name says which provider is asked, with the API key that the workspace has for it: `gen-` (`gpt-`), `r1-` (`o1-`), `r3-` (`o3-`) and `r4-` (`o4-`) OpenAI, `asst-` (`claude-`) Anthropic, `lang-` (`gemini-`) Gemini. A failure of the provider is an answer with `success: false`, and is not retried. A call ends when its caller disconnects.",
    message: 'The answer of the model, or the failure of its provider.',
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
      'Like `rewriter.askAi`, but streams the answer: chunks of text, and one item with its end. Open to user tokens if the key has allowUserRewrites; a user may have 2 running answers and ask 20 times a minute. An answer that was interrupted with its connection is not repeated.',
    item: askAiItem,
  })
    .input(StreamAnswer)
    .subscription(({ ctx, input }) => streamAnswer({ ...ctx, signal: ctx.ending }, input)),
});
