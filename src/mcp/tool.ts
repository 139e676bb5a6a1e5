import type { z } from 'zod';
import { InputSpelling } from '../api/body/spelling.ts';
import type { RequestContext } from '../api/context.ts';
import { router } from '../api/procedures.ts';
import type { AgentContext } from './agent-context.ts';
import { agentOperation } from './operations/agent-operation.ts';
import type { agentApi } from './operations/router.ts';

/** Typed functions that call operations with the credentials of the agent's request. */
export type Operations = ReturnType<typeof agentApi.createCaller>;

export interface AgentCall extends Pick<AgentContext, 'tenantId' | 'userId' | 'agent'> {
  operations: Operations;
  ctx: RequestContext;
}

/** A tool: a name, a description, its input and output, and the operations that it calls. */
export interface Tool<Input extends z.ZodObject, Output extends z.ZodObject> {
  /** A name that begins with a verb, such as `read_document`. */
  name: string;
  title: string;
  description: string;
  input: Input;
  output: Output;
  /** Whether the tool changes anything. Its calls then count against the budget of writes. */
  writes: boolean;
  /** The status of the agent that others see in the document that the input names. */
  presence?: 'reading' | 'writing';
  run(call: AgentCall, input: z.infer<Input>): Promise<z.infer<Output>>;
}

/** A tool with general types, so that different tools can be in one list. */
export interface AnyTool extends Omit<Tool<z.ZodObject, z.ZodObject>, 'run'> {
  spelling: InputSpelling;
  run(call: AgentCall, input: Record<string, unknown>): Promise<Record<string, unknown>>;
}

/** Creates a tool, and infers the types of its `run` from the schemas. */
export const tool = <Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: Tool<Input, Output>,
): AnyTool => ({ ...definition, spelling: new InputSpelling(definition.input) });

interface ToolWithHandler<Input extends z.ZodObject, Output extends z.ZodObject>
  extends Omit<Tool<Input, Output>, 'run'> {
  run(ctx: AgentContext, input: z.infer<Input>): Promise<z.infer<Output>>;
}

type HandlerCall = (input: Record<string, unknown>) => Promise<Record<string, unknown>>;

/**
 * Creates a tool with a handler of its own, for what the API offers only to API keys. The handler must leave out
 * everything that the user may not see. It runs as an operation that has no path and is not in the contract.
 */
export function toolWithHandler<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolWithHandler<Input, Output>,
): AnyTool {
  const { run, ...described } = definition as unknown as ToolWithHandler<z.ZodObject, z.ZodObject>;
  const { name, input, output, writes } = described;
  const declared = agentOperation.input(input).output(output);
  type Resolved = { ctx: AgentContext; input: Record<string, unknown> };
  const resolve = ({ ctx, input }: Resolved) => run(ctx, input);
  const operation = writes ? declared.mutation(resolve) : declared.query(resolve);
  // This name of the operation appears in logs and metrics.
  const { createCaller } = router({ agents: router({ [name]: operation }) });
  const callOf = (ctx: RequestContext) => createCaller(ctx).agents[name] as HandlerCall;
  return tool({ ...described, run: ({ ctx }, input) => callOf(ctx)(input) });
}
