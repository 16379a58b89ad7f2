import * as z from 'zod';

/** Platforms on which bots are added by token. */
export const BotPlatform = z.enum(['discord', 'telegram', 'slack']);

/** Tokens of all platforms are printable ASCII without spaces. */
const Secret = z
  .string()
  .max(512)
  .regex(/^[!-~]+$/);

/** The field that each platform requires in addition to the token. */
const NEEDED = { discord: 'discord_app_id', slack: 'slack_signing_secret', telegram: null } as const;

export const BotTokenBody = z
  .object({
    platform: BotPlatform,
    bot_token: Secret.describe('Never returned'),
    discord_app_id: z
      .string()
      .regex(/^\d{1,20}$/)
      .nullish()
      .describe('Required for discord: the application id'),
    slack_signing_secret: Secret.nullish().describe('Required for slack. Never returned'),
  })
  .superRefine((body, context) => {
    const needed = NEEDED[body.platform];
    if (needed !== null && (body[needed] ?? null) === null) {
      context.addIssue({ code: 'custom', path: [needed], message: `Field required for ${body.platform}` });
    }
  })
  .meta({ id: 'BotTokenBody' });

export const BotToken = z
  .object({
    id: z.string(),
    platform: BotPlatform,
    bot_name: z.string().nullable().describe('Known once the gateway has logged the bot in'),
    status: z
      .string()
      .describe("`registered` until the gateway has logged the bot in, then `ok` or the platform's error"),
    discord_app_id: z.string().nullable(),
    created_at: z.string(),
  })
  .meta({ id: 'BotToken' });

export const BotTokenList = z.object({ bot_tokens: z.array(BotToken) }).meta({ id: 'BotTokenList' });

export const BotTokenParams = z.object({ bot_id: z.string().describe('Identifier of the bot token') });
