import * as z from 'zod';
import { PublicUrl } from './values.ts';

/** Settings of Slack. */
export const SLACK_VARIABLES = {
  SVC_SLACK_CLIENT_ID: {
    default: null,
    schema: z
      .string()
      .regex(/^\d{1,20}\.\d{1,20}$/, 'must be the client id from the app page, such as 123.456'),
    meaning:
      "Client id of a Slack app that all accounts share and install to their workspaces; without it, accounts register their own apps' bots. Needs both secrets",
  },
  SVC_SLACK_CLIENT_SECRET: {
    default: null,
    secret: true,
    schema: z.string().min(8, 'must be the client secret from the app page'),
    meaning: 'Client secret of that app',
  },
  SVC_SLACK_SIGNING_SECRET: {
    default: null,
    secret: true,
    schema: z.string().min(8, 'must be the signing secret from the app page'),
    meaning: 'Signing secret of that app; Slack signs events with it',
  },
  SVC_SLACK_API_URL: {
    default: 'https://slack.com/api',
    schema: PublicUrl,
    meaning: "Slack's Web API",
  },
  SVC_SLACK_FILES_URL: {
    default: 'https://files.slack.com',
    schema: PublicUrl,
    meaning:
      'Host to which files for Slack are uploaded and from which they are downloaded; no other host is used',
  },
} as const;
