import type { ModelProvider } from './schema.ts';

/** The reasons why a call to a model gave no answer. They also label metrics. */
export type Problem = keyof typeof SENTENCES;

/** Messages for callers, who may not be programmers. `NAME` is replaced by the provider's name. */
const SENTENCES = {
  no_key:
    'No API key for NAME is configured in this workspace. Set one with /v2/workspace/apikeyconfig/update.',
  key_unreadable:
    'The API key for NAME that this workspace has stored cannot be read any more. Set it again with /v2/workspace/apikeyconfig/update.',
  key_refused:
    "NAME refused this workspace's API key. Check that it is valid and may use this model, and set it again with /v2/workspace/apikeyconfig/update.",
  key_leaked:
    'The answer of NAME contained the API key and is withheld. Leave the key out of the text, and ask the operator to check the gateway to NAME.',
  rate_limited: 'NAME has too many requests from this API key. Try again in a minute.',
  quota: 'The NAME account of this API key has no credit left. Check its plan and billing there.',
  unknown_model:
    'NAME knows no such model, or does not offer it to this API key. Check the name of the model.',
  too_long: 'The prompt and the text are too long for this model of NAME. Send less text.',
  rejected:
    'NAME did not accept the request. Try another model, or check whether this one takes texts.',
  failing: 'NAME has a problem of its own at the moment. Try again later.',
  timeout: 'NAME did not answer in time. Send less text, or try a faster model.',
  unreachable: 'NAME cannot be reached at the moment. Try again later.',
  forbidden_address:
    'NAME has an address that this server may not reach. The operator has to allow its network in GATEWAY_ALLOWED_NETWORKS, or in OUTBOUND_ALLOWED_NETWORKS.',
  refused:
    'NAME declined to answer, because of its rules on content. Change the prompt or the text.',
  empty: 'NAME gave an empty answer. Try again, or change the prompt.',
  cut: "The answer of NAME was cut off, since it is longer than this model's answers may be. Send less text, or choose another model.",
  too_large: 'NAME sent more than an answer can have. Try again, or send less text.',
  broken_off: 'The answer of NAME broke off. Try again.',
  unreadable: 'NAME gave an answer that is not in its own format. Try again later.',
  used_up: 'This API key has used up its model tokens for today.',
  busy: 'Too many texts of this workspace are being worked on. Try again when some of them are done.',
  stopping: 'This server is stopping. Try again in a moment.',
  caller_left: 'The caller disconnected before NAME had answered.',
} as const;

const NAMES: Record<ModelProvider, string> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  gemini: 'Gemini',
};

/** The messages are our own, since a provider's message may contain the key. */
export const sentenceFor = (problem: Problem, provider: ModelProvider): string =>
  SENTENCES[problem].replaceAll('NAME', NAMES[provider]);

/** A problem that this service detected. */
export class ModelProblem extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem);
    this.name = 'ModelProblem';
    this.problem = problem;
  }
}
