/**
 * Microsoft's clouds (https://learn.microsoft.com/entra/identity-platform/authentication-national-cloud). Accounts,
 * applications and data of one are unknown to the others.
 */
export const CLOUDS = {
  public: { loginUrl: 'https://login.microsoftonline.com', graphUrl: 'https://graph.microsoft.com' },
  us_government: { loginUrl: 'https://login.microsoftonline.us', graphUrl: 'https://graph.microsoft.us' },
  china: {
    loginUrl: 'https://login.partner.microsoftonline.cn',
    graphUrl: 'https://microsoftgraph.chinacloudapi.cn',
  },
} as const;

export type Cloud = keyof typeof CLOUDS;
