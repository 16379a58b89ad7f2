import * as z from 'zod';

export const BotOwnerParams = z.object({ platform: z.string().describe('discord, telegram or slack') });

export const BotOwnerBody = z
  .object({ conversation_id: z.string().max(64).describe('Your own conversation with the bot') })
  .meta({ id: 'BotOwnerChoice' });

export const BotOwner = z
  .object({
    bot_id: z.string(),
    conversation_id: z.string(),
    remote_name: z.string().nullable(),
  })
  .meta({ id: 'BotOwner' });

export const OwnerCodeQuery = z.object({
  connection_id: z.string().default('').describe('Id of the bot. Default: the one registered last'),
});

export const OwnerCode = z
  .object({
    bot_id: z.string(),
    code: z.string().describe('Send it to the bot as a direct message of its own'),
    expires_at: z.string(),
  })
  .meta({ id: 'OwnerCode' });
