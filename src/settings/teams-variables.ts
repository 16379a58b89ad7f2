import * as z from 'zod';
import { PublicUrl } from './values.ts';

/** Settings of Microsoft Teams. */
export const TEAMS_VARIABLES = {
  SVC_TEAMS_CLIENT_ID: {
    default: null,
    schema: z.guid('must be the application (client) id from the Entra admin center'),
    meaning:
      "Application id of the gateway's registration in Microsoft Entra ID, with which accounts connect; needs the client secret",
  },
  SVC_TEAMS_CLIENT_SECRET: {
    default: null,
    secret: true,
    schema: z.string().min(8, 'must be the value of a client secret from the Entra admin center'),
    meaning: 'Client secret of that registration: its value, not its id',
  },
  SVC_TEAMS_TENANT: {
    default: 'organizations',
    schema: z
      .string()
      .regex(
        /^(?:organizations|[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}|(?:[a-z\d-]+\.)+[a-z]{2,})$/i,
        'must be organizations, or the id or a domain of a tenant',
      ),
    meaning:
      'Whose people may connect: those of all organizations (organizations), or those of one tenant, by its id or a domain',
  },
  SVC_TEAMS_CLOUD: {
    default: 'public',
    schema: z.enum(['public', 'us_government', 'china'], 'must be one of public, us_government, china'),
    meaning: "Microsoft's cloud: public, us_government (GCC High, DoD), or china (21Vianet)",
  },
  SVC_TEAMS_LOGIN_URL: {
    default: null,
    shownDefault: 'the login endpoint of the cloud',
    schema: PublicUrl,
    meaning: 'Login endpoint of Microsoft Entra ID, or a proxy of your own for it',
  },
} as const;
