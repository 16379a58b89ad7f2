/** What an app package says of the bot. */
export interface AppFacts {
  /** The bot's Microsoft app id; also the app's own id, by which the gateway finds it in a tenant's catalog. */
  readonly appId: string;
  /** Name of the app, at most 30 characters. */
  readonly name: string;
  /** Public address of the gateway. */
  readonly publicUrl: string;
  readonly hasFiles: boolean;
}

const SCHEMA = 'https://developer.microsoft.com/json-schemas/teams/v1.19/MicrosoftTeams.schema.json';
const SCOPES = ['personal', 'team', 'groupChat'] as const;

/** https://learn.microsoft.com/microsoftteams/platform/resources/schema/manifest-schema */
export function manifestOf({ appId, name, publicUrl, hasFiles }: AppFacts) {
  return {
    $schema: SCHEMA,
    manifestVersion: '1.19',
    version: '1.0.0',
    id: appId,
    developer: {
      name: 'Voice and chat gateway',
      websiteUrl: publicUrl,
      privacyUrl: `${publicUrl}/privacy`,
      termsOfUseUrl: `${publicUrl}/terms`,
    },
    name: { short: name, full: name },
    description: {
      short: 'An AI agent',
      full: 'Write to the agent, or mention it in a channel or a group chat. It answers there.',
    },
    icons: { color: 'color.png', outline: 'outline.png' },
    accentColor: '#3B5BDB',
    bots: [{ botId: appId, scopes: SCOPES, supportsFiles: hasFiles, isNotificationOnly: false }],
    permissions: ['identity', 'messageTeamMembers'],
    validDomains: [],
  };
}
