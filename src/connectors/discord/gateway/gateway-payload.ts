import * as z from 'zod';
import { field, platformJson } from '../../../base/platform-json.ts';
import { Snowflake, User } from '../objects.ts';

/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-opcodes */
export const OP = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  voiceStateUpdate: 4,
  resume: 6,
  reconnect: 7,
  invalidSession: 9,
  hello: 10,
  heartbeatAck: 11,
} as const;

/** https://docs.discord.com/developers/events/gateway-events#payload-structure */
const Payload = z.object({
  op: z.int(),
  d: z.unknown().optional(),
  s: field(z.int().nonnegative().nullable()),
  t: field(z.string().nullable()),
});

export type Payload = z.output<typeof Payload>;

/** Null: not a payload. */
export function readPayload(text: string): Payload | null {
  return Payload.safeParse(platformJson(text)).data ?? null;
}

/** Anything else would make us send without a pause, or never. */
export const Hello = z.object({ heartbeat_interval: z.number().min(50).max(600_000) });

export const Ready = z.object({
  session_id: z.string().min(1).max(256),
  resume_gateway_url: z.string(),
  user: User,
});

/** Something that has happened, as Discord numbers it within a session. */
export interface Dispatch {
  readonly sequence: number;
  readonly type: string;
  readonly data: unknown;
}

/** Dispatch events that concern the gateway. All others are skipped. */
export const ChannelRef = z.object({ id: Snowflake, guild_id: field(Snowflake) });
export const GuildRef = z.object({ id: Snowflake, unavailable: field(z.boolean()) });
export const DeletedMessage = z.object({ id: Snowflake, channel_id: Snowflake });
export const DeletedMessages = z.object({ ids: z.array(Snowflake), channel_id: Snowflake });

/** https://docs.discord.com/developers/events/gateway-events#message-reaction-add */
export const Reaction = z.object({
  user_id: Snowflake,
  channel_id: Snowflake,
  message_id: Snowflake,
  member: field(z.object({ nick: field(z.string().nullable()), user: field(User) })),
  emoji: z.object({ id: field(Snowflake.nullable()), name: field(z.string().nullable()) }),
});

/** A press of a button (https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object). */
export const Press = z.object({
  id: Snowflake,
  type: z.literal(3),
  token: z.string().min(1).max(1_000),
  channel_id: Snowflake,
  member: field(z.object({ nick: field(z.string().nullable()), user: User })),
  user: field(User),
  message: z.object({ id: Snowflake }),
  data: z.object({ custom_id: z.string() }),
});
