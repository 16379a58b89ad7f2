import { GatewayOpcodes } from 'discord-api-types/v10';
import * as z from 'zod';

const Snowflake = z.string().regex(/^\d{15,20}$/);

const Identify = z.strictObject({
  token: z.string(),
  properties: z.strictObject({ os: z.string(), browser: z.string(), device: z.string() }),
  /** The fake does not compress. */
  compress: z.literal(false).optional(),
  large_threshold: z.int().min(50).max(250).optional(),
  shard: z.tuple([z.int().nonnegative(), z.int().positive()]).optional(),
  presence: z
    .strictObject({
      since: z.number().nullable(),
      activities: z.array(z.looseObject({ name: z.string(), type: z.int() })),
      status: z.enum(['online', 'dnd', 'idle', 'invisible', 'offline']),
      afk: z.boolean(),
    })
    .partial()
    .optional(),
  intents: z.int().nonnegative(),
});

const Resume = z.strictObject({ token: z.string(), session_id: z.string(), seq: z.int().nonnegative() });

const VoiceStateUpdate = z.strictObject({
  guild_id: Snowflake,
  channel_id: Snowflake.nullable(),
  self_mute: z.boolean(),
  self_deaf: z.boolean(),
});

/** What clients send (https://docs.discord.com/developers/events/gateway-events#send-events). */
export const ClientPayload = z.discriminatedUnion('op', [
  payload(GatewayOpcodes.Heartbeat, z.int().nullable()),
  payload(GatewayOpcodes.Identify, Identify),
  payload(GatewayOpcodes.Resume, Resume),
  payload(GatewayOpcodes.VoiceStateUpdate, VoiceStateUpdate),
  payload(GatewayOpcodes.PresenceUpdate, z.looseObject({ status: z.string() })),
  payload(GatewayOpcodes.RequestGuildMembers, z.looseObject({ guild_id: Snowflake })),
]);
export type ClientPayload = z.infer<typeof ClientPayload>;
export type Identify = z.infer<typeof Identify>;
export type Resume = z.infer<typeof Resume>;
export type VoiceStateUpdate = z.infer<typeof VoiceStateUpdate>;

/** Opcodes that only servers send, or nobody. */
export function isKnownOpcode(op: unknown): boolean {
  return [1, 2, 3, 4, 6, 8].includes(op as number);
}

/** `s` and `t` are the server's; some libraries send them as null. */
function payload<Op extends GatewayOpcodes, Data extends z.ZodType>(op: Op, d: Data) {
  return z.strictObject({ op: z.literal(op), d, s: z.null().optional(), t: z.null().optional() });
}
