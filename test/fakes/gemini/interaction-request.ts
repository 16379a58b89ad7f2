import { z } from 'zod';
import { interactionError } from './gemini-errors.ts';

const Text = z.strictObject({ type: z.literal('text'), text: z.string() });

/** Steps that a client can send. */
const Step = z.strictObject({
  type: z.enum(['user_input', 'model_output']),
  content: z.array(Text).min(1),
});
export type InputStep = z.infer<typeof Step>;

const McpServer = z.strictObject({
  type: z.literal('mcp_server'),
  name: z.string().min(1),
  url: z.url(),
  headers: z.record(z.string(), z.string()).optional(),
  allowed_tools: z.array(z.object({ tools: z.array(z.string()) })).optional(),
});

/** CreateModelInteraction of @google/genai, without what is not text. */
const InteractionRequest = z.strictObject({
  model: z.string().min(1),
  input: z.union([z.string().min(1), z.array(Step).min(1), z.array(Text).min(1)]),
  previous_interaction_id: z.string().min(1).optional(),
  system_instruction: z.string().min(1).optional(),
  generation_config: z
    .strictObject({
      max_output_tokens: z.int().positive().optional(),
      temperature: z.number().min(0).max(2).optional(),
      thinking_level: z.enum(['minimal', 'low', 'medium', 'high']).optional(),
      stop_sequences: z.array(z.string()).optional(),
    })
    .optional(),
  tools: z.array(McpServer).optional(),
  stream: z.boolean().default(false),
  store: z.boolean().default(true),
});
export type InteractionRequest = z.infer<typeof InteractionRequest>;

/** Throws the VendorError for a body that the API does not take. */
export function readInteraction(body: unknown): InteractionRequest {
  const parsed = InteractionRequest.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path ?? [];
  if (issue?.code === 'unrecognized_keys')
    throw interactionError(
      400,
      'parameter_unknown',
      `Unknown parameter '${[...path, ...issue.keys].join('.')}'.`,
    );
  throw interactionError(400, 'invalid_request', `Invalid value at '${path.join('.')}': ${issue?.message}`);
}

/** The input as steps, whatever its form is. */
export function stepsOf(input: InteractionRequest['input']): readonly InputStep[] {
  if (typeof input === 'string') return [userStep([{ type: 'text', text: input }])];
  const steps = input.filter((item) => item.type !== 'text');
  return steps.length > 0 ? steps : [userStep(input.filter((item) => item.type === 'text'))];
}

function userStep(content: InputStep['content']): InputStep {
  return { type: 'user_input', content };
}
