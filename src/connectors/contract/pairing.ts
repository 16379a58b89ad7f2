/**
 * A platform whose servers belong to people, and pair with accounts of the gateway: a person agrees at both, then the server
 * makes a bot and hands its credentials over. The gateway keeps the credentials, sealed, in the account's connection.
 */
export interface ConnectsByPairing {
  /**
   * Reads what a server wants when it sends a person to `/connect/<platform>`. Asks nobody. Throws GatewayError
   * `pairing_invalid` or `server_invalid`, with words for the person.
   */
  asked(query: Readonly<Record<string, string>>): AskedPairing;
  /** The same, when a person starts here and gives their server's URL. Throws GatewayError `server_invalid`. */
  wanted(serverUrl: string): AskedPairing;
  /** The bots that a server's administrator installs by hand, where there is no pairing. */
  readonly installed: InstalledBots;
  /** Sets where completed pairings go. Called once, before `start`. */
  onPairings(pairings: Pairings): void;
  /** Hands over a connection: a new one, one that was renewed (its id is known), and at start every stored one. */
  connected(connection: PairedConnection): void;
  /** The connection was deleted. Its credentials are handed over for the last time, so that the bot can be removed. */
  disconnected(connection: PairedConnection): void;
}

/** A pairing that has not been agreed to. */
export interface AskedPairing {
  /** The server's URL, without a trailing slash: two URLs of one server give the same. */
  readonly server: string;
  /** What people know the server by. */
  readonly host: string;
  /** Where the person goes next: back to the server that asked, or to the page on which it asks them. */
  agreed(answer: PairingAnswer): string;
}

export interface PairingAnswer {
  /** Comes back with the credentials, works once, and for 10 minutes. */
  readonly state: string;
  /** The gateway's public URL, without a trailing slash. */
  readonly gatewayUrl: string;
  /** Whose agents they are, by what their owner has proven: for people at the server. */
  readonly owner: string;
}

/** The domain's side of pairings. */
export interface Pairings {
  /**
   * Takes a state that a server has brought back, which uses it up. Null: it is unknown, over, or no longer allowed.
   * Nothing may be asked of a server before.
   */
  take(state: string): Promise<PendingPairing | null>;
  /** Reports the connection's own status: `ok`, or the problem in the platform's words. */
  report(connectionId: string, status: string): void;
}

/** A pairing whose state has come back. */
export interface PendingPairing {
  /** The server that was agreed on. */
  readonly server: string;
  readonly accountId: string;
  /**
   * Stores the connection, hands it over and returns its id. An account has one connection to a server: pairing again
   * renews it. Throws GatewayError `connect_unknown` when the credential that started is void meanwhile,
   * `connection_differs`, `cap_reached`.
   */
  settle(pairing: Paired): Promise<string>;
}

export interface Paired {
  /** Shown to the owner. */
  readonly label: string;
  /** The person at the server who agreed, as in the addresses of messages; null: nobody in particular. */
  readonly personId: string | null;
  /** Whatever the connector needs, as JSON. Stored sealed; never logged. */
  readonly credentials: unknown;
}

/** A connection by pairing, as its connector sees it. In memory only. */
export interface PairedConnection extends Paired {
  readonly id: string;
  readonly accountId: string;
  readonly server: string;
}

/** Bots that an administrator installs at a server by hand, with a secret and a URL of ours. */
export interface InstalledBots {
  /** Path below `/api/<platform>/` at which accounts ask for one. */
  readonly path: string;
  /** What to store for the bot. `secret`: 64 hex digits. */
  credentialsFor(secret: string): unknown;
  /** The URL at which the server reports what is written to the bot. */
  webhookUrl(bot: Pick<InstalledBot, 'connectionId' | 'gatewayUrl'>): string;
  /** What the administrator does, as a line for a shell. */
  installLine(bot: InstalledBot): string;
  /** Returns the secret in stored credentials, for the platform bridge; null: they are of a pairing. */
  secretIn(credentials: unknown): string | null;
}

export interface InstalledBot {
  readonly connectionId: string;
  /** Shown to people at the server. */
  readonly name: string;
  readonly secret: string;
  /** The gateway's public URL, without a trailing slash. */
  readonly gatewayUrl: string;
}
