import type { Mails } from './mails.ts';
import type { Notes } from './notes.ts';

/** An attack, carried out against a running gateway. */
export interface Attack {
  readonly number: number;
  readonly name: string;
  run(target: Target, notes: Notes, mails: Mails): Promise<void>;
}

/** What an attack knows about the gateway. Plain data, because attacks run in their own processes. */
export interface Target {
  readonly baseUrl: string;
  readonly httpPort: number;
  readonly sipPort: number;
  readonly pid: number;
  /** Keys of the operator's account, which holds the live call. */
  readonly agentKey: string;
  readonly settingsKey: string;
  readonly callId: string;
  readonly streamUrl: string;
  readonly dataFolder: string;
  readonly server: 'uws' | 'node';
  /** Part of addresses and names, so that they differ between rounds. */
  readonly round: number;
}

/** The only loopback address at which the operator allows trunks. */
export const PROVIDER_HOST = '127.0.0.2';
/** Where, at that address, the operator's settings say that Discord, Slack, Telegram and the vendors of speech are. */
export const PLATFORM_PORT = 17_723;
/** Address of a stranger. */
export const STRANGER_HOST = '127.0.0.7';
/** The reverse proxy that the operator trusts. */
export const PROXY_HOST = '127.0.0.8';
