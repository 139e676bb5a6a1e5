import type { z } from 'zod';
import { InputSpelling } from '../api/body/spelling.ts';
import type { RequestContext } from '../api/context.ts';
import { router } from '../api/procedures.ts';
import type { AgentContext } from './agent-context.ts';
import { agentOperation } from './operations/agent-operation.ts';
import type { agentApi } from './operations/router.ts';

/** Typed calls of operations, with the credentials of the agent's request. */
export type Operations = ReturnType<typeof agentApi.createCaller>;

export interface AgentCall extends Pick<AgentContext, 'tenantId' | 'userId' | 'agent'> {
  operations: Operations;
  ctx: RequestContext;
}

/** A tool: a name, a description, its input and output, and the operations that it calls. */
export interface Tool<Input extends z.ZodObject, Output extends z.ZodObject> {
  /** The verb first, as in `read_document`. */
  name: string;
  title: string;
  description: string;
  input: Input;
  output: Output;
  /** Whether it changes anything: it counts against the budget of writes. */
  writes: boolean;
  /** The status of the agent that others see in the document that the input names. */
  presence?: 'reading' | 'writing';
  run(call: AgentCall, input: z.infer<Input>): Promise<z.infer<Output>>;
}

/** A tool in a table of tools, whose types were inferred. */
export interface AnyTool extends Omit<Tool<z.ZodObject, z.ZodObject>, 'run'> {
  spelling: InputSpelling;
  run(call: AgentCall, input: Record<string, unknown>): Promise<Record<string, unknown>>;
}

/** Infers the types of a tool from its schemas. */
export const tool = <Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: Tool<Input, Output>,
): AnyTool => ({ ...definition, spelling: new InputSpelling(definition.input) });

interface ToolWithRule<Input extends z.ZodObject, Output extends z.ZodObject>
  extends Omit<Tool<Input, Output>, 'run'> {
  run(ctx: AgentContext, input: z.infer<Input>): Promise<z.infer<Output>>;
}

type RuleCall = (input: Record<string, unknown>) => Promise<Record<string, unknown>>;

/**
 * Creates a tool with a rule of its own, for what the API offers to API keys only. The rule must leave out
 * everything that the user may not know. It runs as an operation without a path, outside of the contract.
 */
export function toolWithHandler<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolWithRule<Input, Output>,
): AnyTool {
  const { run, ...described } = definition as unknown as ToolWithRule<z.ZodObject, z.ZodObject>;
  const { name, input, output, writes } = described;
  const declared = agentOperation.input(input).output(output);
  type Resolved = { ctx: AgentContext; input: Record<string, unknown> };
  const resolve = ({ ctx, input }: Resolved) => run(ctx, input);
  const operation = writes ? declared.mutation(resolve) : declared.query(resolve);
  // The names of operations show in logs and metrics.
  const { createCaller } = router({ agents: router({ [name]: operation }) });
  const callOf = (ctx: RequestContext) => createCaller(ctx).agents[name] as RuleCall;
  return tool({ ...described, run: ({ ctx }, input) => callOf(ctx)(input) });
}
