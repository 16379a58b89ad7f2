/**
 * Microsoft's clouds (https://learn.microsoft.com/entra/identity-platform/authentication-national-cloud,
 * https://learn.microsoft.com/azure/bot-service/how-to-deploy-gov-cloud-high). Accounts, applications and data of one are
 * unknown to the others.
 */
export const CLOUDS = {
  public: {
    loginUrl: 'https://login.microsoftonline.com',
    botScope: 'https://api.botframework.com/.default',
    tokenIssuer: 'https://api.botframework.com',
    openIdUrl: 'https://login.botframework.com/v1/.well-known/openidconfiguration',
    graphUrl: 'https://graph.microsoft.com',
    serviceUrl: 'https://smba.trafficmanager.net/teams/',
    serviceHosts: ['smba.trafficmanager.net', 'smba.infra.gcc.teams.microsoft.com', '*.botframework.com'],
    fileHosts: ['*.sharepoint.com'],
    clientUrl: 'https://teams.microsoft.com',
  },
  us_government: {
    loginUrl: 'https://login.microsoftonline.us',
    botScope: 'https://api.botframework.us/.default',
    tokenIssuer: 'https://api.botframework.us',
    openIdUrl: 'https://login.botframework.azure.us/v1/.well-known/openidconfiguration',
    graphUrl: 'https://graph.microsoft.us',
    serviceUrl: 'https://smba.infra.gov.teams.microsoft.us/teams/',
    serviceHosts: [
      'smba.infra.gov.teams.microsoft.us',
      'smba.infra.dod.teams.microsoft.us',
      '*.botframework.us',
      '*.botframework.azure.us',
    ],
    fileHosts: ['*.sharepoint.us', '*.sharepoint-mil.us'],
    clientUrl: 'https://gov.teams.microsoft.us',
  },
  china: {
    loginUrl: 'https://login.partner.microsoftonline.cn',
    botScope: 'https://api.botframework.azure.cn/.default',
    tokenIssuer: 'https://api.botframework.azure.cn',
    openIdUrl: 'https://login.botframework.azure.cn/v1/.well-known/openidconfiguration',
    graphUrl: 'https://microsoftgraph.chinacloudapi.cn',
    /** Not published: the setting names it. */
    serviceUrl: null,
    serviceHosts: ['*.teams.microsoftonline.cn', '*.botframework.azure.cn'],
    fileHosts: ['*.sharepoint.cn'],
    clientUrl: 'https://teams.microsoftonline.cn',
  },
} as const;

export type Cloud = keyof typeof CLOUDS;
