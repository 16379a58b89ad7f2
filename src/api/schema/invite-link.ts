import * as z from 'zod';

export const InviteLink = z
  .object({
    invite_token: z.string().describe('Shown only now'),
    expires_at: z.string().describe('15 minutes from now'),
    whatsapp_url: z
      .string()
      .nullable()
      .describe(
        'Opens a chat with the WhatsApp number, the token in the text that is there to be sent; null where the gateway has no number, or does not know it yet',
      ),
  })
  .meta({ id: 'InviteLink' });
