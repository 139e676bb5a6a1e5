import type { ModelProvider } from './schema.ts';

/** The reasons why a call to a model failed. They also label metrics. */
export type Problem = keyof typeof MESSAGES;

/** Messages for callers, who may not be programmers. `NAME` is replaced with the provider's name. */
const MESSAGES = {
  no_key:
    'No API key for NAME is configured in this workspace. Set one with /v2/workspace/apikeyconfig/update.',
  key_unreadable:
    'The API key for NAME that is stored for this workspace can no longer be decrypted. Set it again with /v2/workspace/apikeyconfig/update.',
  key_refused:
    "NAME refused this workspace's API key. Check that it is valid and may use this model, and set it again with /v2/workspace/apikeyconfig/update.",
  key_leaked:
    "NAME's response contained the API key, so it is withheld. Leave the key out of the text, and ask the operator to check the gateway to NAME.",
  rate_limited: 'NAME has received too many requests with this API key. Try again in a minute.',
  quota:
    'The NAME account of this API key has no credit left. Check the plan and billing of this account.',
  unknown_model:
    'NAME does not have this model, or does not offer it to this API key. Check the name of the model.',
  too_long: 'The prompt and the text are too long for this model of NAME. Send less text.',
  rejected:
    'NAME did not accept the request. Try another model, or check whether this one accepts text.',
  failing: 'NAME has a problem of its own at the moment. Try again later.',
  timeout: 'NAME did not respond in time. Send less text, or try a faster model.',
  unreachable: 'NAME cannot be reached at the moment. Try again later.',
  forbidden_address:
    'NAME has an address that this server may not reach. The operator has to allow its network in GATEWAY_ALLOWED_NETWORKS, or in OUTBOUND_ALLOWED_NETWORKS.',
  refused: 'NAME declined to answer because of its content rules. Change the prompt or the text.',
  empty: 'NAME returned an empty response. Try again, or change the prompt.',
  cut: "NAME's response was cut off because it is longer than this model allows. Send less text, or choose another model.",
  too_large: "NAME's response is too large. Try again, or send less text.",
  broken_off: "NAME's response broke off. Try again.",
  unreadable: "NAME's response is not in the format that NAME uses. Try again later.",
  used_up: 'This API key has reached its daily quota of model tokens.',
  busy: 'This workspace has too many model calls in progress. Try again when some of them are done.',
  stopping: 'This server is stopping. Try again in a moment.',
  caller_left: 'The caller disconnected before NAME had responded.',
} as const;

const PROVIDER_NAMES: Record<ModelProvider, string> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  gemini: 'Gemini',
};

/** Returns a message of our own, since the provider's message may contain the key. */
export const problemMessage = (problem: Problem, provider: ModelProvider): string =>
  MESSAGES[problem].replaceAll('NAME', PROVIDER_NAMES[provider]);

/** A problem that this service finds in a response, unlike the errors of a provider's library. */
export class ModelProblem extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem);
    this.name = 'ModelProblem';
    this.problem = problem;
  }
}
