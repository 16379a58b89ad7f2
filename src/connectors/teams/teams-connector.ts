import type { Connector, Provides } from '../contract/connector.ts';
import { CLOUDS, type Cloud } from './clouds.ts';
import { type EntraApplication, EntraOAuth } from './oauth/entra-oauth.ts';

export interface TeamsOptions {
  readonly cloud: Cloud;
  /** Replaces the cloud's login endpoint; null: it does not. */
  readonly loginUrl: string | null;
  /** As in EntraOptions. */
  readonly tenant: string;
  /** Null: the operator has not set it up. */
  readonly application: EntraApplication | null;
}

/** Microsoft Teams. Accounts connect by OAuth. */
export class TeamsConnector implements Connector {
  readonly platform = 'teams' as const;
  readonly provides: Provides;

  constructor({ cloud, loginUrl, tenant, application }: TeamsOptions) {
    this.provides = {
      oauth: new EntraOAuth({
        loginUrl: loginUrl ?? CLOUDS[cloud].loginUrl,
        graphUrl: CLOUDS[cloud].graphUrl,
        tenant,
        application,
        hasSharedBot: false,
      }),
    };
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {}
}
