import * as z from 'zod';

export const InviteLink = z
  .object({
    invite_token: z.string().describe('Shown only in this answer'),
    expires_at: z.string().describe('15 minutes from now'),
    whatsapp_url: z
      .string()
      .nullable()
      .describe(
        'Opens a chat with the WhatsApp number and a prepared message that contains the token. Null if the gateway has no number or does not know it yet',
      ),
  })
  .meta({ id: 'InviteLink' });
