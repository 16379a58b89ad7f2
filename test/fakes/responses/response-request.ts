import * as z from 'zod';
import { apiError } from './responses-errors.ts';

const InputPart = z.union([
  z.strictObject({ type: z.literal('input_text'), text: z.string() }),
  z.looseObject({ type: z.literal('output_text'), text: z.string() }),
  z.strictObject({ type: z.literal('refusal'), refusal: z.string() }),
]);

/** EasyInputMessage and Message of the openai package, 7.57.0. */
const InputMessage = z.strictObject({
  type: z.literal('message').optional(),
  id: z.string().optional(),
  status: z.enum(['in_progress', 'completed', 'incomplete']).optional(),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.union([z.string(), z.array(InputPart).min(1)]),
  phase: z.enum(['commentary', 'final_answer']).nullable().optional(),
});
export type InputMessage = z.output<typeof InputMessage>;

const McpTool = z.strictObject({
  type: z.literal('mcp'),
  server_label: z.string().regex(/^[A-Za-z][\w-]*$/),
  server_url: z.url(),
  authorization: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  allowed_tools: z.array(z.string()).optional(),
  require_approval: z.enum(['always', 'never']).optional(),
  server_description: z.string().optional(),
});

const Reference = { type: z.literal('agent_reference'), name: z.string(), version: z.string().optional() };

/** ResponseCreateParams of the openai package, 7.57.0, as far as text goes. */
const ResponseRequest = z.strictObject({
  model: z.string().optional(),
  input: z.union([z.string(), z.array(InputMessage)]).optional(),
  instructions: z.string().nullable().optional(),
  conversation: z
    .union([z.string(), z.strictObject({ id: z.string() })])
    .nullable()
    .optional(),
  previous_response_id: z.string().nullable().optional(),
  prompt: z
    .strictObject({
      id: z.string().regex(/^pmpt_/),
      version: z.string().optional(),
      variables: z.record(z.string(), z.string()).optional(),
    })
    .optional(),
  tools: z.array(McpTool).optional(),
  max_output_tokens: z.int().min(16).optional(),
  metadata: z.record(z.string().max(64), z.string().max(512)).optional(),
  store: z.boolean().optional(),
  stream: z.boolean().optional(),
  stream_options: z.strictObject({ include_obfuscation: z.boolean().optional() }).optional(),
  reasoning: z
    .strictObject({ effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).optional() })
    .optional(),
  context_management: z
    .array(
      z.strictObject({ type: z.literal('compaction'), compact_threshold: z.int().min(1_000).optional() }),
    )
    .optional(),
  prompt_cache_key: z.string().max(64).optional(),
  safety_identifier: z.string().max(128).optional(),
  /** Foundry's only. */
  agent_reference: z.strictObject(Reference).optional(),
});
export type ResponseRequest = z.output<typeof ResponseRequest>;

const Metadata = z.record(z.string().max(64), z.string().max(512)).nullable().optional();

export const ConversationRequest = z.strictObject({
  items: z.array(InputMessage).max(20).nullable().optional(),
  metadata: Metadata,
});

export const ItemsRequest = z.strictObject({ items: z.array(InputMessage).min(1).max(20) });

/** Reads a body, or throws the API's error: its name for what is wrong. */
export function readBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(body);
  if (!error) return data as z.output<Schema>;
  if (body === undefined || typeof body === 'string') {
    throw apiError(400, 'We could not parse the JSON body of your request.');
  }
  const [issue] = error.issues;
  const param = issue?.path.join('.') || null;
  if (issue?.code === 'unrecognized_keys') {
    const [name] = issue.keys;
    throw apiError(400, `Unknown parameter: '${name}'.`, { code: 'unknown_parameter', param: name ?? null });
  }
  throw apiError(400, `Invalid value for '${param}': ${issue?.message}`, { code: 'invalid_value', param });
}

export function readResponseRequest(body: unknown): ResponseRequest {
  const wanted = readBody(ResponseRequest, body);
  if (wanted.conversation && wanted.previous_response_id) {
    const message =
      "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Ensure you are only providing one of them.";
    throw apiError(400, message, { code: 'mutually_exclusive_parameters' });
  }
  if (wanted.stream_options && !wanted.stream) {
    throw apiError(400, "The 'stream_options' parameter is only allowed when 'stream' is enabled.");
  }
  return wanted;
}

export function conversationIdOf({ conversation }: ResponseRequest): string | null {
  return typeof conversation === 'string' ? conversation : (conversation?.id ?? null);
}

/** The input as messages: a text is one of the user. */
export function messagesOf({ input = [] }: ResponseRequest): InputMessage[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : input;
}
