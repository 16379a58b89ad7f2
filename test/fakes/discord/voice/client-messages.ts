import { z } from 'zod';
import { VoiceRefusal } from './close-codes.ts';

const snowflake = z.string().regex(/^\d{1,20}$/);

/** What clients send as JSON. Strict: an unknown field is an error. */
export const IDENTIFY = z.strictObject({
  server_id: snowflake,
  user_id: snowflake,
  session_id: z.string().min(1),
  token: z.string().min(1),
  max_dave_protocol_version: z.int().min(0).optional(),
  video: z.boolean().optional(),
});

export const SELECT_PROTOCOL = z.strictObject({
  protocol: z.string(),
  data: z.strictObject({ address: z.string(), port: z.int().min(1).max(65_535), mode: z.string() }),
});

export const HEARTBEAT = z.strictObject({ t: z.number(), seq_ack: z.int().min(-1) });

export const SPEAKING = z.strictObject({
  speaking: z.int().min(0).max(7),
  delay: z.int(),
  ssrc: z.int(),
});

export const RESUME = z.strictObject({
  server_id: snowflake,
  session_id: z.string().min(1),
  token: z.string().min(1),
  seq_ack: z.int().min(-1),
});

export const TRANSITION = z.strictObject({ transition_id: z.int().min(0).max(0xffff) });

const ENVELOPE = z.strictObject({ op: z.int(), d: z.unknown() });

export type Identify = z.infer<typeof IDENTIFY>;
export type Resume = z.infer<typeof RESUME>;

export function readEnvelope(text: string): z.infer<typeof ENVELOPE> {
  try {
    return ENVELOPE.parse(JSON.parse(text));
  } catch {
    throw new VoiceRefusal(4002, `not a message: ${text.slice(0, 100)}`);
  }
}

export function readData<T>(schema: z.ZodType<T>, data: unknown): T {
  const read = schema.safeParse(data);
  if (read.success) return read.data;
  throw new VoiceRefusal(4002, z.prettifyError(read.error));
}
