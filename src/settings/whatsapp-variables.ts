import * as z from 'zod';
import { PublicUrl } from './values.ts';

/** Settings of WhatsApp. */
export const WHATSAPP_VARIABLES = {
  SVC_WHATSAPP_PHONE_NUMBER_ID: {
    default: null,
    schema: z
      .string()
      .regex(/^\d{1,32}$/, 'must be digits: the id of the number at Meta, not the number itself'),
    meaning:
      'Id of the WhatsApp number that all accounts share, from the app dashboard; needs the three secrets below',
  },
  SVC_WHATSAPP_ACCESS_TOKEN: {
    default: null,
    secret: true,
    schema: z.string(),
    meaning: 'Permanent token of a system user with `whatsapp_business_messaging`',
  },
  SVC_WHATSAPP_APP_SECRET: {
    default: null,
    secret: true,
    schema: z.string(),
    meaning: 'Secret of the Meta app; Meta signs webhooks with it',
  },
  SVC_WHATSAPP_VERIFY_TOKEN: {
    default: null,
    secret: true,
    schema: z.string().min(16, 'must have at least 16 characters'),
    meaning:
      'Text of your choice, at least 16 characters, that you also enter at Meta with the webhook `…/api/whatsapp/webhook/shared`',
  },
  SVC_WHATSAPP_TEMPLATE_LANGUAGE: {
    default: 'en',
    schema: z
      .string()
      .regex(/^[a-z]{2,3}(_[A-Z]{2})?$/, 'must be a language code of Meta, such as en or en_US'),
    meaning: 'Language of the template `agent_followup`, which asks people to write again after 24 hours',
  },
  SVC_WHATSAPP_API_URL: {
    default: 'https://graph.facebook.com',
    schema: PublicUrl,
    meaning: "Meta's Graph API",
  },
  SVC_WHATSAPP_API_VERSION: {
    default: 'v25.0',
    schema: z.string().regex(/^v\d{1,3}\.\d{1,2}$/, 'must be a version such as v25.0'),
    meaning: 'Version of the Graph API',
  },
  SVC_WHATSAPP_MEDIA_URL: {
    default: 'https://lookaside.fbsbx.com',
    schema: PublicUrl,
    meaning: 'Host that files are downloaded from; only this host and the API receive the access token',
  },
} as const;
