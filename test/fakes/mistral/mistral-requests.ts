import * as z from 'zod';
import { invalid } from './mistral-errors.ts';

/** Typings of @mistralai/mistralai 2.7.0 as they go over the wire: what the gateway and the SDK's tests use of them. */
const Chunk = z.strictObject({ type: z.literal('text').optional(), text: z.string() });
const InputEntry = z.strictObject({
  object: z.literal('entry').optional(),
  type: z.literal('message.input'),
  role: z.enum(['user', 'assistant']),
  content: z.union([z.string(), z.array(Chunk)]),
  prefix: z.boolean().optional(),
});
const Inputs = z.union([z.string(), z.array(InputEntry).min(1)]);

const CompletionArgs = z.strictObject({
  max_tokens: z.int().positive().nullish(),
  temperature: z.number().min(0).max(1.5).nullish(),
  tool_choice: z.string().optional(),
});

const ConnectorTool = z.strictObject({ type: z.literal('connector'), connector_id: z.string() });

const Turn = {
  inputs: Inputs,
  stream: z.boolean().optional(),
  store: z.boolean().nullish(),
  handoff_execution: z.string().nullish(),
};

/** An agent has its own model, instructions and tools. */
export const NewConversation = z
  .strictObject({
    ...Turn,
    model: z.string().nullish(),
    agent_id: z.string().nullish(),
    instructions: z.string().nullish(),
    tools: z.array(ConnectorTool).max(128).nullish(),
    completion_args: CompletionArgs.nullish(),
    name: z.string().nullish(),
    metadata: z.record(z.string(), z.unknown()).nullish(),
  })
  .refine(({ model, agent_id: agent }) => !model !== !agent, 'exactly one of model and agent_id is required')
  .refine(
    ({ agent_id: agent, instructions, tools, completion_args: args }) =>
      !agent || !(instructions || tools || args),
    'instructions, tools and completion_args cannot be used with agent_id',
  );

export const Append = z.strictObject({ ...Turn, completion_args: CompletionArgs.optional() });
export const Restart = z.strictObject({
  ...Turn,
  completion_args: CompletionArgs.optional(),
  from_entry_id: z.string(),
});

export const NewAgent = z.strictObject({
  model: z.string(),
  name: z.string(),
  instructions: z.string().nullish(),
  description: z.string().nullish(),
});

export const NewConnector = z.strictObject({
  name: z.string().regex(/^[\w-]{1,64}$/),
  description: z.string(),
  server: z.url(),
  protocol: z.literal('mcp'),
  visibility: z.enum(['private', 'shared_workspace', 'shared_org']).optional(),
  auth_methods: z.array(z.strictObject({ method_type: z.enum(['bearer', 'none']) })).nullish(),
});

export const NewCredentials = z.strictObject({
  name: z.string(),
  title: z.string().nullish(),
  is_default: z.boolean().nullish(),
  credentials: z.strictObject({ bearer_token: z.string() }).nullish(),
});

export type InputEntry = z.output<typeof InputEntry>;
export type TurnRequest = Pick<z.output<typeof Append>, 'inputs' | 'stream' | 'completion_args'>;

/** Reads a body, or throws Mistral's error. */
export function readBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(body);
  if (error) throw invalid(error);
  return data as z.output<Schema>;
}

/** The input as messages. A text is one of the user. */
export function messagesOf({ inputs }: TurnRequest): readonly InputEntry[] {
  return typeof inputs === 'string' ? [{ type: 'message.input', role: 'user', content: inputs }] : inputs;
}

export function textOf(content: InputEntry['content']): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('');
}
