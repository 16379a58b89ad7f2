import * as z from 'zod';
import { optionalField } from '../http/optional-field.ts';

const Typed = z.object({ type: z.string() });

/** Any event of a session: the fields that the gateway reads. https://platform.claude.com/docs/en/managed-agents */
export const SessionEvent = z.object({
  type: z.string(),
  id: optionalField(z.string()),
  /** Null while the event is queued. */
  processed_at: optionalField(z.string().nullable()),
  content: optionalField(z.array(z.object({ type: z.string(), text: optionalField(z.string()) }))),
  event: optionalField(z.object({ type: z.string(), id: z.string() })),
  event_id: optionalField(z.string()),
  delta: optionalField(
    z.object({ content: z.object({ type: z.string(), text: optionalField(z.string()) }) }),
  ),
  stop_reason: optionalField(z.object({ type: z.string(), event_ids: optionalField(z.array(z.string())) })),
  stop_details: optionalField(z.object({ explanation: optionalField(z.string()) })),
  error: optionalField(
    z.object({ type: z.string(), message: optionalField(z.string()), retry_status: optionalField(Typed) }),
  ),
  model_usage: optionalField(
    z.object({
      input_tokens: optionalField(z.number()),
      cache_creation_input_tokens: optionalField(z.number()),
      cache_read_input_tokens: optionalField(z.number()),
      output_tokens: optionalField(z.number()),
    }),
  ),
});
export type SessionEvent = z.output<typeof SessionEvent>;

export function textOf({ content }: SessionEvent): string {
  return (content ?? []).map(({ text }) => text ?? '').join('');
}

export function isMessageWith(marker: string, event: SessionEvent): boolean {
  return event.type === 'user.message' && textOf(event).includes(marker);
}
