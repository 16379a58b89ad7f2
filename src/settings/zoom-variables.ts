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
