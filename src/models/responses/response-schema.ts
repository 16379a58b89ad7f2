import * as z from 'zod';
import { optionalField } from '../http/optional-field.ts';

const Part = z.object({
  type: z.string(),
  text: optionalField(z.string()),
  refusal: optionalField(z.string()),
});

/** An item of a conversation or of a response's output: a message, a call of a tool, the model's reasoning. */
export const Item = z.object({
  id: optionalField(z.string()),
  type: optionalField(z.string()),
  role: optionalField(z.string()),
  status: optionalField(z.string()),
  phase: optionalField(z.string()),
  /** Of a call that somebody must answer, and of its answer. */
  call_id: optionalField(z.string()),
  /** `server`: the provider carries the call out. */
  execution: optionalField(z.string()),
  content: z.union([z.array(Part), z.string()]).catch([]),
});
export type Item = z.output<typeof Item>;

/** `code` is a number at some copies of the API. */
export const ApiError = z.object({
  message: optionalField(z.string()),
  code: optionalField(z.coerce.string()),
  type: optionalField(z.string()),
  param: optionalField(z.string()),
});
export type ApiError = z.output<typeof ApiError>;

const Usage = z.object({
  input_tokens: optionalField(z.number()),
  output_tokens: optionalField(z.number()),
});

/** A response, whole or in an event of a stream. Copies of the API leave out much of it. */
export const ResponseBody = z.object({
  id: optionalField(z.string()),
  status: optionalField(z.string()),
  error: optionalField(ApiError),
  incomplete_details: optionalField(z.object({ reason: optionalField(z.string()) })),
  output: z.array(Item).catch([]),
  usage: optionalField(Usage),
});
export type ResponseBody = z.output<typeof ResponseBody>;

/** An event of a streamed response. https://developers.openai.com/api/reference/resources/responses/streaming-events */
export const ResponseEvent = z.object({
  type: optionalField(z.string()),
  response: optionalField(ResponseBody),
  item: optionalField(Item),
  item_id: optionalField(z.string()),
  output_index: optionalField(z.number()),
  content_index: optionalField(z.number()),
  part: optionalField(Part),
  text: optionalField(z.string()),
  refusal: optionalField(z.string()),
  delta: optionalField(z.string()),
  /** Of an `error` event, whose fields copies put into an object. */
  error: optionalField(ApiError),
  code: optionalField(z.coerce.string()),
  message: optionalField(z.string()),
});
export type ResponseEvent = z.output<typeof ResponseEvent>;

/**
 * Whether a message's text counts. Commentary does not: what a model announces in it, it repeats at the end. An item
 * without a phase is final.
 */
export function isFinalMessage({ type, role, phase }: Item): boolean {
  return (type ?? 'message') === 'message' && (role ?? 'assistant') === 'assistant' && phase !== 'commentary';
}

/** The final text of a response's items. */
export function finalText(items: readonly Item[]): string {
  return items.filter(isFinalMessage).map(textOf).join('');
}

export function textOf({ content }: Item): string {
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('');
}

/** The words with which the model declined; null: it did not. */
export function refusalIn(items: readonly Item[]): string | null {
  const parts = items.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  const refusals = parts.flatMap(({ type, refusal }) => (type === 'refusal' ? [refusal ?? ''] : []));
  return refusals.length === 0 ? null : refusals.join(' ');
}

/** Calls that the client must answer, also where a copy of the API gives them no `call_id`. */
const WAITING: ReadonlySet<string> = new Set([
  'mcp_approval_request',
  'oauth_consent_request',
  'function_call',
  'custom_tool_call',
  'computer_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
]);

/** Calls that the provider carries out. Their results are within them. */
const CARRIED_OUT: ReadonlySet<string> = new Set([
  'mcp_call',
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
]);

/**
 * What the turn waits for, as the API calls it; null: nothing. Each version of the API has new kinds of calls: one with a
 * `call_id` waits for its answer, and so does any if the model wrote nothing (`isSilent`).
 */
export function waitIn(items: readonly Item[], isSilent: boolean): string | null {
  const answered = new Set(items.flatMap(({ type = '', call_id }) => (isAnswer(type) ? [call_id] : [])));
  return items.find((item) => isForClient(item, isSilent) && !answered.has(item.call_id))?.type ?? null;
}

function isForClient({ type = '', call_id, execution }: Item, isSilent: boolean): boolean {
  if (CARRIED_OUT.has(type) || execution === 'server') return false;
  if (WAITING.has(type) || /_request$/.test(type)) return true;
  return /_call$/.test(type) && (isSilent || call_id !== undefined);
}

function isAnswer(type: string): boolean {
  return /_(?:output|response)$/.test(type);
}
