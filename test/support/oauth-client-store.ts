import { randomUUID } from 'node:crypto';
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthDiscoveryState,
  OAuthTokens,
} from '@modelcontextprotocol/client';

/** What both official clients require of an application that signs in: storage, and a browser to send the person to. */
export class OAuthClientStore {
  readonly redirectUrl = 'http://127.0.0.1:39871/callback';
  readonly clientMetadata: OAuthClientMetadata = {
    client_name: 'Test assistant',
    redirect_uris: [this.redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  /** Where the person was sent last; null: nowhere yet. */
  sentTo: URL | null = null;
  client: OAuthClientInformationMixed | undefined;
  held: OAuthTokens | undefined;
  readonly #state = randomUUID();
  #verifier = '';
  #discovery: OAuthDiscoveryState | undefined;

  state(): string {
    return this.#state;
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.client;
  }

  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.client = client;
  }

  tokens(): OAuthTokens | undefined {
    return this.held;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.held = tokens;
  }

  redirectToAuthorization(url: URL): void {
    this.sentTo = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }

  invalidateCredentials(scope: string): void {
    if (scope === 'all' || scope === 'client') this.client = undefined;
    if (scope === 'all' || scope === 'tokens') this.held = undefined;
  }
}
