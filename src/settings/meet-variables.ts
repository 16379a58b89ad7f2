import * as z from 'zod';
import { PublicUrl } from './values.ts';

/** Settings of Google Meet. */
export const MEET_VARIABLES = {
  SVC_MEET_CLIENT_ID: {
    default: null,
    schema: z.string().min(8, 'must be the client id from the Google Cloud console'),
    meaning: 'Client id of the gateway at Google, with which accounts connect; needs the client secret',
  },
  SVC_MEET_CLIENT_SECRET: {
    default: null,
    secret: true,
    schema: z.string().min(8, 'must be the client secret from the Google Cloud console'),
    meaning: 'Client secret that belongs to it',
  },
  SVC_MEET_LOGIN_URL: {
    default: null,
    shownDefault: 'https://accounts.google.com and https://oauth2.googleapis.com',
    schema: PublicUrl,
    meaning: "Google's sign-in and tokens, or a proxy of your own for both",
  },
  SVC_MEET_API_URL: {
    default: null,
    shownDefault: 'https://meet.googleapis.com',
    schema: PublicUrl,
    meaning: "Google Meet's REST API, or a proxy of your own",
  },
} as const;
