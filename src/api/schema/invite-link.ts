import * as z from 'zod';

export const InviteLink = z
  .object({
    invite_token: z.string().describe('Shown only now'),
    expires_at: z.string().describe('15 minutes from now'),
  })
  .meta({ id: 'InviteLink' });
