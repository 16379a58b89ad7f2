import * as z from 'zod';
import { PublicUrl } from './values.ts';

/** Settings of Zoom. */
export const ZOOM_VARIABLES = {
  SVC_ZOOM_CLIENT_ID: {
    default: null,
    schema: z.string().min(8, 'must be the client id from the Zoom App Marketplace'),
    meaning: "Client id of the gateway's Zoom app, with which accounts connect; needs the client secret",
  },
  SVC_ZOOM_CLIENT_SECRET: {
    default: null,
    secret: true,
    schema: z.string().min(8, 'must be the client secret from the Zoom App Marketplace'),
    meaning: 'Client secret that belongs to it',
  },
  SVC_ZOOM_WEBHOOK_SECRET: {
    default: null,
    secret: true,
    schema: z.string().min(8, 'must be the secret token from the Zoom App Marketplace'),
    meaning:
      'Secret token with which Zoom signs its events, for names, chat and transcripts by Realtime Media Streams',
  },
  SVC_ZOOM_DIAL_IN: {
    default: null,
    schema: z.string().regex(/^\+[1-9]\d{6,14}$/, 'must be a number in E.164, such as +16465588656'),
    meaning:
      'A dial-in number of Zoom, in E.164. Accounts with a trunk call it for a link without a passcode, or an id with a numeric one, if no connected user knows a better way',
  },
  SVC_ZOOM_LOGIN_URL: {
    default: 'https://zoom.us',
    schema: PublicUrl,
    meaning: "Zoom's sign-in and tokens",
  },
  SVC_ZOOM_API_URL: {
    default: 'https://api.zoom.us/v2',
    schema: PublicUrl,
    meaning: "Zoom's REST API, with its version",
  },
} as const;
