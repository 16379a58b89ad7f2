import * as z from 'zod';
import { BOT_FIELDS, BOT_PLATFORMS, PLATFORM_TRAITS } from '../../base/platform.ts';

/** Platforms on which bots are added by token. */
export const BotPlatform = z.enum(BOT_PLATFORMS);

/** Tokens of all platforms are printable ASCII without spaces. */
const Secret = z
  .string()
  .max(512)
  .regex(/^[!-~]+$/);

const { appId: APP_ID, signingSecret: SIGNING_SECRET } = BOT_FIELDS;

/** Returns the name of the field that a platform requires in addition to the token. Null: it requires none. */
export function neededField(platform: z.output<typeof BotPlatform>) {
  const needed = PLATFORM_TRAITS[platform].bots?.needs ?? null;
  return needed === null ? null : BOT_FIELDS[needed];
}

function requiredFor(field: string): string {
  return `Required for ${BOT_PLATFORMS.filter((platform) => neededField(platform) === field).join(' and ')}`;
}

export const BotTokenBody = z
  .object({
    platform: BotPlatform,
    bot_token: Secret.describe('Never returned'),
    [APP_ID]: z
      .string()
      .regex(/^\d{1,20}$/)
      .nullish()
      .describe(`${requiredFor(APP_ID)}: the application id`),
    [SIGNING_SECRET]: Secret.nullish().describe(`${requiredFor(SIGNING_SECRET)}. Never returned`),
  })
  .superRefine((body, context) => {
    const needed = neededField(body.platform);
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
    [APP_ID]: z.string().nullable(),
    created_at: z.string(),
  })
  .meta({ id: 'BotToken' });

export const BotTokenList = z.object({ bot_tokens: z.array(BotToken) }).meta({ id: 'BotTokenList' });

export const BotTokenParams = z.object({ bot_id: z.string().describe('Identifier of the bot token') });
