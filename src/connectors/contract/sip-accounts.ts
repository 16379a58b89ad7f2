/** What the SIP connector must know of an account's trunk; plain text, in memory only. */
export interface SipTrunk {
  readonly accountId: string;
  readonly host: string;
  readonly port: number;
  readonly transport: 'udp' | 'tcp' | 'tls';
  readonly username: string;
  readonly password: string;
  readonly realm: string | null;
  /** E.164 number or user part shown to called parties; null: the username. */
  readonly callerId: string | null;
  readonly register: boolean;
  readonly srtp: 'off' | 'optional' | 'required';
  /** Its RTP comes from other addresses than SDP names. */
  readonly behindNat: boolean;
  /** Whoever knows it may ring the account: 32 hex digits, never logged. */
  readonly inboundToken: string;
  /** Of the operator's own account: it may lead to loopback and private addresses. */
  readonly ofOperator: boolean;
}

/** A listed number, as inbound routing needs it. */
export interface SipNumber {
  readonly didId: string;
  readonly accountId: string;
  readonly agentId: string;
  /** E.164 with the plus. */
  readonly number: string;
  readonly autoAnswer: boolean;
}

export type RegistrationState = 'registered' | 'registering' | 'failed' | 'off';

export interface Registration {
  readonly state: RegistrationState;
  /** One of `unreachable`, `tls_failed` and `not_allowed`, or the server's answer: `401 Unauthorized`. */
  readonly lastError: string | null;
  /** ISO 8601; null when not registered. */
  readonly expiresAt: string | null;
}

/** The SIP connector as the account domain sees it: trunks and numbers come and go while it runs. */
export interface SipDirectory {
  /** Adds or replaces the account's trunk; starts its REGISTER loop when asked for. */
  putTrunk(trunk: SipTrunk): void;
  /** Unregisters and forgets the trunk; live calls go on. */
  removeTrunk(accountId: string): void;
  /** The URI that rings the account; null: there is no trunk, or our address towards it is not known yet. */
  inboundUri(accountId: string): string | null;
  /** Registration of the account's trunk; `off` when there is none or it does not register. */
  registration(accountId: string): Registration;
  putNumber(number: SipNumber): void;
  removeNumber(didId: string): void;
}
