import * as z from 'zod';
import { PLATFORMS } from '../../base/platform.ts';

const Platform = z.enum(PLATFORMS);
const Ready = z.literal('ready');
const Speech = z.enum(['ready', 'byok']).describe('`ready` with an enabled preset of this kind');

export const PlatformState = z
  .object({
    status: z.string().describe('`ok`, `not_configured`, `not_granted` to this client, or what is wrong'),
    capabilities: z.array(z.string()).describe('What it offers to who is logged in'),
    files: z.boolean().describe('Whether files can be sent and received'),
  })
  .meta({ id: 'PlatformState' });

const Identity = z
  .object({
    agent: z.string().nullable().describe("The agent's own handle, as far as it is known"),
    operator: z.string().nullable().describe("The human operator's handle, as far as it is known"),
  })
  .meta({ id: 'PlatformIdentity' });

export const Account = z
  .object({
    account_id: z.string(),
    name: z.string(),
    email: z.string().nullable().describe('Null for an account that is entered by keys alone'),
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
    features_note: z.string().describe('What `byok` means'),
    platforms: z.record(Platform, PlatformState),
    concurrent_calls: z.object({ active: z.int(), limit: z.int() }).describe('Of the whole account'),
    identities: z.partialRecord(Platform, Identity).describe('Only platforms with a login'),
    last_message_cursor: z
      .string()
      .describe('Where the delta mode of the inbox starts: `<ISO time>|<message id>`'),
  })
  .meta({ id: 'Account' });
export type Account = z.output<typeof Account>;

/** The account as returned by its MCP tool, which adds how this client receives events. */
export const McpAccount = Account.extend({
  features: Account.shape.features.extend({
    channel: z
      .enum(['ready', 'poll'])
      .describe('`ready`: events are pushed to this session; `poll`: read them by svc_inbox'),
  }),
});

export const DeleteAccountBody = z
  .object({
    password: z.string().max(1_024).optional().describe('Needed where the account has one'),
    confirm: z
      .union([z.literal('DELETE'), z.literal(true)])
      .describe('`"DELETE"` or `true`: nothing brings it back'),
  })
  .meta({ id: 'DeleteAccount' });
