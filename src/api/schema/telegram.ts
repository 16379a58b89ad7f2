import * as z from 'zod';

export const TelegramLink = z
  .object({
    deep_link: z.string().describe('Opens the bot in Telegram, where the person presses Start'),
    bot_name: z.string().describe("The bot's user name, such as `@my_bot`"),
    expires_at: z
      .string()
      .nullable()
      .describe('15 minutes from now; the link works once. Null: the link to your own bot does not expire'),
  })
  .meta({ id: 'TelegramLink' });
