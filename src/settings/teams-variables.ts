import * as z from 'zod';
import { HostPatterns, PublicUrl } from './values.ts';

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
  SVC_TEAMS_APP_ID: {
    default: null,
    schema: z.guid('must be the Microsoft app id of the bot, from the Azure portal'),
    meaning:
      'Microsoft app id of the bot that all accounts share; needs its secret and its tenant. Without it there are no messages on Teams',
  },
  SVC_TEAMS_APP_SECRET: {
    default: null,
    secret: true,
    schema: z.string().min(8, "must be the value of a client secret of the bot's app registration"),
    meaning: "Client secret of the bot's app registration: its value, not its id",
  },
  SVC_TEAMS_TENANT_ID: {
    default: null,
    schema: z.union(
      [z.guid(), z.literal('botframework.com')],
      'must be the id of a tenant, or botframework.com',
    ),
    meaning:
      "Id of the tenant that the bot's app registration belongs to; botframework.com for a multi-tenant bot registered before August 2025",
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
  SVC_TEAMS_OPENID_URL: {
    default: null,
    shownDefault: 'that of the cloud',
    schema: PublicUrl,
    meaning: 'OpenID metadata of the Bot Connector, which names the keys of its tokens',
  },
  SVC_TEAMS_GRAPH_URL: {
    default: null,
    shownDefault: 'that of the cloud',
    schema: PublicUrl,
    meaning:
      'Microsoft Graph, without its version; tells the numbers of meetings, and installs the app for people who have not written yet',
  },
  SVC_TEAMS_SERVICE_URL: {
    default: null,
    shownDefault: 'that of the cloud',
    schema: PublicUrl,
    meaning:
      'Bot Connector that first messages to people are sent to; activities may name its host as their service',
  },
  SVC_TEAMS_SERVICE_HOSTS: {
    default: null,
    schema: HostPatterns,
    meaning:
      'Hosts of the Bot Connector besides those of the cloud, separated by commas; *.example.com stands for all below example.com. Only these get the token of the bot',
  },
  SVC_TEAMS_FILES_URL: {
    default: null,
    shownDefault: 'SharePoint of the cloud',
    schema: PublicUrl,
    meaning: 'Host that files on Teams are uploaded to and downloaded from, besides SharePoint',
  },
  SVC_FILES_ENABLE_TEAMS: {
    default: 'off',
    schema: z.enum(['on', 'off'], 'must be on or off'),
    meaning: 'Whether files are sent and received on Teams',
  },
} as const;
