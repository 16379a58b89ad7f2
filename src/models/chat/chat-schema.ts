import * as z from 'zod';
import { optionalField } from '../http/optional-field.ts';
import { ApiError } from '../responses/response-schema.ts';

const Part = z.object({ type: optionalField(z.string()), text: optionalField(z.string()) });

const Call = z.object({
  name: optionalField(z.string()),
  function: optionalField(z.object({ name: optionalField(z.string()) })),
});

/** What a model writes: a whole message, or the next part of one. Its reasoning stands in fields of its own. */
const Written = z.object({
  content: optionalField(z.union([z.string(), z.array(Part)])),
  refusal: optionalField(z.string()),
  tool_calls: z.array(Call).catch([]),
  function_call: optionalField(Call),
});
export type Written = z.output<typeof Written>;

const Choice = z.object({
  index: optionalField(z.number()),
  delta: optionalField(Written),
  message: optionalField(Written),
  finish_reason: optionalField(z.string()),
});

const Usage = z.object({
  prompt_tokens: optionalField(z.number()),
  completion_tokens: optionalField(z.number()),
});

/**
 * A completion, or a chunk of one. https://developers.openai.com/api/reference/resources/chat/subresources/completions,
 * and what servers make of it: errors within a stream are objects or texts.
 */
export const Completion = z.object({
  id: optionalField(z.string()),
  choices: z.array(Choice).catch([]),
  usage: optionalField(Usage),
  error: optionalField(z.union([z.string().transform((message) => ({ message })), ApiError])),
});
export type Completion = z.output<typeof Completion>;

/** Parts of other types, such as thoughts, are no text. */
export function writtenText({ content = '' }: Written): string {
  if (typeof content === 'string') return content;
  return content.map(({ type = 'text', text = '' }) => (type === 'text' ? text : '')).join('');
}

/** The name of the first function that the model calls; null: it calls none. */
export function calledIn({ tool_calls: [call], function_call }: Written): string | null {
  const called = call ?? function_call;
  return called === undefined ? null : (called.function?.name ?? called.name ?? '');
}
