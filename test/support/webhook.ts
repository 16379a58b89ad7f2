import { LOGIN_WEBHOOK, type WebhookReply } from '../../src/connectors/contract/webhooks.ts';

/** What every request to a login's webhook has in common: the platform stays connected. */
export const WEBHOOK = { endpoint: LOGIN_WEBHOOK, query: {}, signal: new AbortController().signal } as const;

/** The body of a reply as sent. */
export function bodyOfReply(reply: WebhookReply): string {
  return 'text' in reply ? reply.text : JSON.stringify(reply.json);
}
