import * as z from 'zod';

/** What the vendor answers and says, as far as the connector reads it. */

/** Reads a message of a WebSocket or webhook. Null: it is not one of the vendor's. */
export function readMessage<T>(schema: z.ZodType<T>, text: unknown): T | null {
  try {
    return schema.parse(JSON.parse(String(text)));
  } catch {
    return null;
  }
}

export const Me = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string().nullable(),
});

export const StoredFile = z.object({ id: z.string(), name: z.string(), mime: z.string(), size: z.int() });

const Message = z.object({
  id: z.string(),
  space: z.object({ id: z.string(), kind: z.enum(['direct', 'channel']), name: z.string() }),
  thread: z.string().nullable(),
  author: z.object({ id: z.string(), name: z.string() }),
  text: z.string(),
  files: z.array(StoredFile),
  sent_at: z.iso.datetime(),
});

/** On the event feed, in the order of `id`. */
export const FeedEvent = z.object({ id: z.int(), type: z.enum(['message', 'edited']), message: Message });

export type VendorMessage = z.output<typeof Message>;

/** In a webhook. `verify`: the vendor asks whether the URL is ours. */
export const WebhookEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('verify'), challenge: z.string() }),
  z.object({ type: z.enum(['message', 'edited']), message: Message }),
]);

export const SentMessage = z.object({ id: z.string() });
export const SocketAddress = z.object({ url: z.string() });
export const JoinedSession = z.object({ id: z.string(), url: z.string() });

/** On a session's socket. */
export const SessionMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('waiting'), reason: z.string() }),
  z.object({ type: z.literal('joined'), media_url: z.string() }),
  z.object({
    type: z.literal('participants'),
    participants: z.array(z.object({ id: z.string(), name: z.string() })),
  }),
  z.object({
    type: z.literal('chat'),
    message: z.object({
      id: z.string(),
      session: z.string().nullable(),
      sender: z.string(),
      text: z.string(),
      files: z.array(StoredFile),
      sent_at: z.iso.datetime(),
    }),
  }),
  z.object({ type: z.literal('ended'), reason: z.string() }),
]);

/** On a session's media socket, beside audio. */
export const MediaMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('voices'),
    voices: z.array(z.object({ voice: z.int(), ssrc: z.int(), participant: z.string() })),
  }),
  z.object({ type: z.literal('speaking'), voice: z.int(), on: z.boolean() }),
]);
