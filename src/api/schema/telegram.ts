import * as z from 'zod';

export const TelegramLink = z
  .object({
    deep_link: z.string().describe('Opens the bot in Telegram; its reader presses Start there'),
    bot_name: z.string().describe('As people see it, such as `@my_bot`'),
    expires_at: z
      .string()
      .nullable()
      .describe('15 minutes from now, and the link is for one use; null: a bot of your own, open to anybody'),
  })
  .meta({ id: 'TelegramLink' });
