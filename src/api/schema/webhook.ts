import * as z from 'zod';

export const WebhookParams = z.object({
  login_key: z.string().describe('The login concerned: `shared`, or the id of a bot token'),
});

/** Any query parameters, because platforms choose their own. */
export const WebhookQuery = z.object({}).catchall(z.string());
