import * as z from 'zod';
import { BOT_FIELDS, BOT_PLATFORMS, PLATFORM_TRAITS } from '../../base/platform.ts';
import { named } from './fields.ts';

/** Platforms on which bots are added by token. */
export const BotPlatform = z.enum(BOT_PLATFORMS);

/** Tokens of all platforms are printable ASCII without spaces. */
const Secret = z
  .string()
  .max(512)
  .regex(/^[!-~]+$/, 'Input should be printable ASCII characters without spaces');

const { appId: APP_ID, signingSecret: SIGNING_SECRET, appToken: APP_TOKEN } = BOT_FIELDS;

/** Returns the fields of which a platform requires one in addition to the token. Empty: it requires none. */
export function neededFields(platform: z.output<typeof BotPlatform>) {
  return (PLATFORM_TRAITS[platform].bots?.needs ?? []).map((needed) => BOT_FIELDS[needed]);
}

function requiredFor(field: (typeof BOT_FIELDS)[keyof typeof BOT_FIELDS]): string {
  const platforms = BOT_PLATFORMS.filter((platform) => neededFields(platform).includes(field));
  const others = platforms.flatMap(neededFields).filter((other) => other !== field);
  return `Required for ${platforms.join(' and ')}${others.map((other) => ` without \`${other}\``).join('')}`;
}

export const BotTokenBody = z
  .object({
    platform: BotPlatform,
    bot_token: Secret.describe('Never returned'),
    [APP_ID]: z
      .string()
      .regex(/^\d{1,20}$/, 'Input should be digits, such as 1234567890123456789')
      .nullish()
      .describe(`${requiredFor(APP_ID)}: the application id`),
    [SIGNING_SECRET]: Secret.nullish().describe(`${requiredFor(SIGNING_SECRET)}. Never returned`),
    [APP_TOKEN]: Secret.nullish().describe(
      `${requiredFor(APP_TOKEN)}: has events delivered over a connection that the gateway opens (Socket Mode). Never returned`,
    ),
  })
  .superRefine((body, context) => {
    const needed = neededFields(body.platform);
    const [first] = needed;
    if (first !== undefined && needed.every((field) => (body[field] ?? null) === null))
      context.addIssue({ code: 'custom', path: [first], message: `Field required for ${body.platform}` });
  })
  .meta({ id: 'BotTokenBody' });

export const BotToken = named('BotToken', {
  id: z.string(),
  platform: BotPlatform,
  bot_name: z.string().nullable().describe('Known once the gateway has logged the bot in'),
  status: z
    .string()
    .describe("`registered` until the gateway has logged the bot in, then `ok` or the platform's error"),
  [APP_ID]: z.string().nullable(),
  created_at: z.string(),
});

export const BotTokenList = named('BotTokenList', { bot_tokens: z.array(BotToken) });

export const BotTokenParams = z.object({ bot_id: z.string().describe('Identifier of the bot token') });
