import * as z from 'zod';
import { named } from './fields.ts';

const ServerUrl = z
  .string()
  .min(1)
  .max(512)
  .describe('URL of your server, such as https://cloud.example.com. That of one of its pages will do');

export const ConnectionParams = z.object({
  connection_id: z.string().describe('Identifier of the connection'),
});

export const ConnectParams = z.object({
  provider: z.string().describe('The platform, as in GET /api/platforms'),
});

/** The gateway's pages that a browser may return to. */
const RETURN_TO = /^\/dashboard(?:[/?][\w\-./~%=&?]*)?$/;

export const OAuthStartRequest = named('OAuthStartRequest', {
  return_to: z
    .string()
    .max(512)
    .refine((path) => RETURN_TO.test(path) && !/(?:^|\/)\.\.?(?:[/?]|$)|%2e|%2f|%5c/i.test(path), {
      message: 'Input should be a path of the gateway at or below /dashboard, such as /dashboard',
    })
    .nullish()
    .describe(
      'Path at or below `/dashboard` that the browser returns to once connected. Default: a page that says so',
    ),
  connection_id: z
    .string()
    .min(1)
    .max(64)
    .nullish()
    .describe(
      'The connection to renew, by signing in to the same account of the platform. Default: a new one',
    ),
  server_url: ServerUrl.nullish().describe(
    'URL of your server, for a platform whose servers belong to people, and only there. `authorize_url` is then the page on which the server asks you, and it decides where the browser goes afterwards',
  ),
});

export const OAuthStarted = named('OAuthStarted', {
  authorize_url: z.string().describe('Open it in a browser within 10 minutes. It works once'),
});

/** The body for the consent of administrators at a platform; `name`: the platform's, capitalized. */
export function adminConsentStartRequest(name: string) {
  return named(`${name}AdminConsentStartRequest`, {
    connection_id: z
      .string()
      .min(1)
      .max(64)
      .describe('The connection for whose organization an administrator is to approve'),
  });
}

/** Query parameters of the redirect back from an administrator's approval. Each platform has its own. */
export const ConsentCallbackQuery = z
  .object({ state: z.string().max(256).default('') })
  .catchall(z.string().max(4_096));

/** Query parameters of a platform's redirect back to the gateway. */
export const ConnectCallbackQuery = z.object({
  code: z.string().max(4_096).default(''),
  state: z.string().max(256).default(''),
  error: z.string().max(256).default(''),
  error_description: z.string().max(4_096).default(''),
});

/** Query of the page to which a server sends its person. What a server says depends on the platform. */
export const PairingQuery = z
  .object({ prompt: z.string().max(16).default('').describe('`login`: sign in, even if signed in') })
  .catchall(z.string().max(1_024));

export const InstalledBotRequest = named('InstalledBotRequest', {
  server_url: ServerUrl,
  name: z
    .string()
    .regex(/^[^\p{C}]{1,64}$/u, 'Input should be one line of at most 64 characters')
    .default('AI Agent')
    .describe('Name of the bot at the server'),
});

export const InstalledBot = named('InstalledBot', {
  connection_id: z.string().describe('Identifier of the connection'),
  webhook_url: z.string().describe('URL at which the server reports what is written to the bot'),
  secret: z.string().describe('With which both sides sign. Shown only now'),
  install: z.string().describe('What the administrator runs at the server'),
});
