import type { PresetIds } from '../../base/speech.ts';

/** Headers that name who calls, in the order in which they are read. */
export const CALLER_HEADERS = ['p_asserted_identity', 'remote_party_id', 'from'] as const;
export type CallerHeader = (typeof CALLER_HEADERS)[number];

/** Trunk settings of an account for the SIP connector; plain text, in memory only. */
export interface SipTrunk {
  readonly accountId: string;
  readonly host: string;
  readonly port: number;
  readonly transport: 'udp' | 'tcp' | 'tls';
  readonly username: string;
  readonly password: string;
  readonly realm: string | null;
  /** E.164 number or user part shown to called parties; null uses the username. */
  readonly callerId: string | null;
  readonly register: boolean;
  readonly srtp: 'off' | 'optional' | 'required';
  /** The trunk's RTP comes from other addresses than its SDP names. */
  readonly behindNat: boolean;
  /** Seconds without RTP and RTCP after which a call counts as lost; 0: never; null: as the gateway's settings say. */
  readonly mediaTimeoutS: number | null;
  /** Header that carries `callerId`. If it is not From, From has the username. */
  readonly callerIdIn: 'from' | 'p_asserted_identity' | 'p_preferred_identity';
  /** The first header that may name who calls in. Those before it are left out: not every provider vouches for them. */
  readonly callerFrom: CallerHeader;
  /** Secret that allows ringing the account: 32 hex digits, never logged. */
  readonly inboundToken: string;
  /** The trunk belongs to the operator's own account: it may lead to loopback and private addresses. */
  readonly ofOperator: boolean;
}

/** A listed number, for inbound routing. */
export interface SipNumber {
  readonly didId: string;
  readonly accountId: string;
  readonly agentId: string;
  /** E.164 with the plus, or the digits of an extension or national number. */
  readonly number: string;
  readonly autoAnswer: boolean;
  readonly presets: PresetIds;
}

export type RegistrationState = 'registered' | 'registering' | 'failed' | 'off';

export interface Registration {
  readonly state: RegistrationState;
  /** `unreachable`, `tls_failed`, `not_allowed`, or the server's answer: `401 Unauthorized`. */
  readonly lastError: string | null;
  /** ISO 8601; null when not registered. */
  readonly expiresAt: string | null;
}

/** The SIP connector as seen by the account domain. Trunks and numbers can change while it runs. */
export interface SipDirectory {
  /** Whether a trunk may have this host, as far as the host itself tells: names are looked up when they are used. */
  mayUse(host: string, ofOperator: boolean): boolean;
  /** Adds or replaces the account's trunk. Starts its REGISTER loop if configured. */
  putTrunk(trunk: SipTrunk): void;
  /** Unregisters and removes the trunk. Live calls continue. */
  removeTrunk(accountId: string): void;
  /** SIP URI that rings the account; null when there is no trunk or our address towards it is not known yet. */
  inboundUri(accountId: string): string | null;
  /** Registration state of the account's trunk; `off` when there is none or it does not register. */
  registration(accountId: string): Registration;
  putNumber(number: SipNumber): void;
  removeNumber(didId: string): void;
}
