import { z } from 'zod';
import { invalid } from './aws-errors.ts';

const Text = z.strictObject({ text: z.string() });

/** ConverseRequest of @aws-sdk/client-bedrock-runtime, without what is not text. */
const ConverseRequest = z.strictObject({
  messages: z
    .array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.array(Text).min(1) }))
    .min(1),
  system: z.array(Text).min(1).optional(),
  inferenceConfig: z
    .strictObject({
      maxTokens: z.int().min(1).optional(),
      temperature: z.number().min(0).max(1).optional(),
      topP: z.number().min(0).max(1).optional(),
      stopSequences: z.array(z.string().min(1)).optional(),
    })
    .optional(),
});
export type ConverseRequest = z.infer<typeof ConverseRequest>;

/** Throws the VendorError for a body that the API does not take. */
export function readConverse(body: unknown): ConverseRequest {
  const parsed = ConverseRequest.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid(`1 validation error detected: ${issue?.message} at '${issue?.path.join('.')}'`);
  }
  checkTexts(parsed.data);
  checkRoles(parsed.data);
  return parsed.data;
}

function checkTexts({ messages, system = [] }: ConverseRequest): void {
  for (const [at, { content }] of messages.entries())
    for (const [part, { text }] of content.entries())
      if (text.trim() === '')
        throw invalid(
          `The text field in the ContentBlock object at messages.${at}.content.${part} is blank. ` +
            'Add text to the text field, and try again.',
        );
  if (system.some(({ text }) => text.trim() === ''))
    throw invalid('The text field in the SystemContentBlock is blank.');
}

function checkRoles({ messages }: ConverseRequest): void {
  if (messages[0]?.role !== 'user')
    throw invalid(
      'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
    );
  if (messages.some(({ role }, at) => role === messages[at - 1]?.role))
    throw invalid('A conversation must alternate between user and assistant roles.');
  if (messages.at(-1)?.role !== 'user') throw invalid('A conversation must end with a user message.');
}
