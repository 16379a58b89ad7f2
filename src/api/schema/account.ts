import * as z from 'zod';
import { PLATFORMS } from '../../base/platform.ts';
import { named } from './fields.ts';

const Platform = z.enum(PLATFORMS);
const Ready = z.literal('ready');
const Speech = z.enum(['ready', 'byok']).describe('`ready` with an enabled preset of this kind');

export const PlatformState = named('PlatformState', {
  status: z.string().describe('`ok`, `not_configured`, `not_granted` to this client, or the problem'),
  capabilities: z.array(z.string()).describe('Capabilities once connected'),
  files: z.boolean().describe('Whether files can be sent and received'),
});

const Identity = named('PlatformIdentity', {
  agent: z.string().nullable().describe("The agent's own handle, if known"),
  operator: z.string().nullable().describe("The human operator's handle, if known"),
});

export const Account = named('Account', {
  account_id: z.string(),
  name: z.string(),
  email: z.string().nullable().describe('Null for an account that has only keys'),
  email_verified: z.boolean(),
  plan: z.string().describe('For information only'),
  features: z.object({
    transport: Ready,
    audio_in: Ready,
    audio_out: Ready,
    text_chat: Ready,
    typing_indicators: Ready,
    files: Ready,
    hosted_stt: Speech,
    hosted_tts: Speech,
  }),
  features_note: z.string().describe('Explains `byok`'),
  platforms: z.record(Platform, PlatformState),
  concurrent_calls: z
    .object({ active: z.int(), limit: z.int() })
    .describe('Number of live calls of the account and the limit'),
  identities: z.partialRecord(Platform, Identity).describe('Only platforms with a login'),
  last_message_cursor: z.string().describe("Start of the inbox's delta mode: `<ISO time>|<message id>`"),
});
export type Account = z.output<typeof Account>;

/** The account as returned by its MCP tool, which adds how this client receives events. */
export const McpAccount = Account.extend({
  features: Account.shape.features.extend({
    channel: z
      .enum(['ready', 'poll'])
      .describe('`ready`: events are pushed to this session; `poll`: read them with svc_inbox'),
  }),
});

export const DeleteAccountBody = named('DeleteAccount', {
  password: z.string().max(1_024).optional().describe('Required if the account has one'),
  confirm: z
    .union([z.literal('DELETE'), z.literal(true)], { error: 'Input should be "DELETE" or true' })
    .describe('`"DELETE"` or `true`. Deletion cannot be undone'),
});
