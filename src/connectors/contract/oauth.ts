import type { ClientCredentials } from '../../base/client-request.ts';
import type { AsksAdmins } from './admin-consent.ts';

/**
 * A platform that accounts connect to by OAuth 2.0 (authorization code grant, RFC 6749). The connector declares the
 * gateway's registration there and reads whose account fresh tokens are for. The gateway does the rest: state, PKCE,
 * the exchange, storing and refreshing tokens.
 */
export interface ConnectsByOAuth {
  /** Null: the operator has not set it up. */
  readonly client: OAuthClient | null;
  /** Endpoints that the specification lays down for this platform. Absent: it has only those that all have. */
  readonly paths?: OAuthPaths;
  /**
   * Reads the account behind fresh tokens. Settles before `signal` aborts. Rejects with GatewayError `connect_refused`
   * when this account cannot be used, `platform_failed` on any other failure, each with the platform's words.
   */
  identify(tokens: FreshTokens, signal: AbortSignal): Promise<RemoteIdentity>;
  /**
   * Withdraws the gateway's access at the platform, after the connection was deleted. Best effort: a rejection is only
   * logged. Absent on platforms that cannot do it.
   */
  revoke?(tokens: OAuthTokens, signal: AbortSignal): Promise<void>;
  /** Absent where people need no administrator to connect. */
  readonly adminConsent?: AsksAdmins;
  /** Sets the source of access tokens. Called once, before any connection is handed over. Absent: none are used. */
  onConnections?(tokens: ConnectionTokens): void;
  /**
   * Hands over a connection: a new one, one that was renewed (its id is known), and at start every stored one that has
   * tokens. Returns at once. A connection that is lost later is not taken back: its tokens are refused until it is
   * renewed.
   */
  connected?(connection: Connection): void;
  /** The connection was deleted and its tokens are gone. Also called for connections that were never handed over. */
  disconnected?(connectionId: string): void;
}

/** Paths below `/api/<platform>/`, without slashes. */
export interface OAuthPaths {
  /** Starts connecting, as `POST /api/oauth/start/<platform>` does, too. */
  readonly start: string;
  /** Where the platform sends browsers back to, in place of `/api/oauth/<platform>/callback`. */
  readonly callback: string;
}

/** The gateway's registration as a client of a platform. */
export interface OAuthClient extends ClientCredentials {
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  /** What to ask for, separated as the platform wants it; '' where the registration decides. */
  readonly scope: string;
  /** Whether the platform supports PKCE (RFC 7636, S256). */
  readonly pkce: boolean;
  /** Further parameters of the authorization URL, such as `access_type=offline`. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Puts an answer of the token endpoint in the form of RFC 6749. Absent: it already has that form. */
  readonly standardAnswer?: (answer: unknown) => unknown;
}

/** The tokens of a connection. In memory only; never logged. */
export interface OAuthTokens {
  readonly accessToken: string;
  /** Null: the platform issued none, so an access token that expires or is refused cannot be replaced. */
  readonly refreshToken: string | null;
}

export interface FreshTokens extends OAuthTokens {
  /**
   * The whole answer of the token endpoint, as the platform wrote it: some say here who the person is. An ID token in it
   * came straight from the platform, so its signature need not be checked (OpenID Connect Core, 3.1.3.7).
   */
  readonly answer: Readonly<Record<string, unknown>>;
}

/** The account of a platform behind a connection. */
export interface RemoteIdentity {
  /**
   * The platform's permanent id of the account, which it never gives to another one. With the tenant or workspace, where
   * ids are unique only there. At most 256 characters.
   */
  readonly providerUserId: string;
  /** Shown to the owner, such as a name. */
  readonly label: string;
  readonly email: string | null;
  /** The person behind the account, in direct messages; null: the platform has none. */
  readonly person: RemotePerson | null;
}

/** A person who connected a platform, in direct messages. */
export interface RemotePerson {
  /** The platform's permanent identifier of the person, as in the addresses of messages. */
  readonly id: string;
  /**
   * `shared`: the connection links the person to the gateway's shared login, so what they write to it belongs to this
   * account. `connection`: the connection is a login of its own.
   */
  readonly login: 'shared' | 'connection';
}

/** A connection, as its connector sees it. */
export interface Connection extends Omit<RemoteIdentity, 'person'> {
  readonly id: string;
  readonly accountId: string;
  /** What was granted, which may be less than was asked for. Empty: the platform did not say. */
  readonly scopes: readonly string[];
}

/** The access tokens of one platform's connections. */
export interface ConnectionTokens {
  /**
   * Returns a valid access token and refreshes it first if needed. Ask again for each use; do not keep it. Rejects with
   * GatewayError `connection_not_found` when the connection is gone, `connection_lost` when it has to be renewed by its
   * owner, `platform_failed` when the platform cannot be asked now.
   */
  accessToken(connectionId: string): Promise<string>;
  /**
   * Reports that the platform refused a token (401). Returns another one to try once. A token that is refused within a
   * minute of its refresh makes the connection lost. Rejects as `accessToken` does.
   */
  refused(connectionId: string, token: string): Promise<string>;
  /** Reports the connection's own status: `ok`, or the problem in the platform's words. */
  report(connectionId: string, status: string): void;
}
