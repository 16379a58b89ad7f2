import { z } from 'zod';

/** What is missing in an old event is left out of the text. */
const text = z.string().catch('');
const name = z.string().nullable().catch(null);
const attachments = z
  .array(
    z.object({
      name: text,
      mime: text,
      size: z.number().nullable().catch(null),
      url: name,
    }),
  )
  .catch([]);
const who = z.object({ id: text, name }).nullable().catch(null);
const termination = z.object({ result: text, reason: text }).nullable().catch(null);
const call = { call_id: text };

/** The fields of events that a model is told, by the API's names. */
const ToldEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('dm_chat'),
    platform: text,
    conversation_id: name,
    kind: text,
    peer: who,
    sender: who,
    text,
    attachments,
    created_at: text,
  }),
  z.object({
    type: z.literal('dm_delivered'),
    conversation_id: text,
    delivered_ids: z.array(z.string()).catch([]),
  }),
  z.object({ type: z.literal('call_invite'), ...call, platform: text, caller: text, meeting_url: text }),
  z.object({ type: z.literal('call_transcript'), ...call, speaker: text, text }),
  z.object({ type: z.literal('call_chat'), ...call, sender: text, text, attachments }),
  z.object({ type: z.literal('call_state'), ...call, state: text, termination }),
  z.object({ type: z.literal('call_error'), ...call, code: text, message: text }),
]);

export type ToldEvent = z.infer<typeof ToldEvent>;
export type ToldAttachment = z.infer<typeof attachments>[number];

/** Reads an event as it is stored with a delivery. Null: of a type that models are not told of. */
export function readToldEvent(event: Readonly<Record<string, unknown>>): ToldEvent | null {
  const read = ToldEvent.safeParse(event);
  return read.success ? read.data : null;
}
