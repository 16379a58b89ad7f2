import * as z from 'zod';
import { StoredFile } from '../messages/vendor-messages.ts';

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
