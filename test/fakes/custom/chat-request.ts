import * as z from 'zod';

const Message = z.strictObject({
  role: z.enum(['system', 'user', 'assistant']),
  content: z.string().min(1),
});

/** CompletionCreateParams of the openai package, 7.59.0, as far as text goes. */
export const ChatRequest = z.strictObject({
  model: z.string(),
  messages: z.array(Message).min(1),
  max_tokens: z.int().min(1).optional(),
  max_completion_tokens: z.int().min(1).optional(),
  stream: z.boolean().optional(),
  stream_options: z.strictObject({ include_usage: z.boolean() }).optional(),
});
export type ChatRequest = z.output<typeof ChatRequest>;
