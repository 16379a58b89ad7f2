/** What an attack knows of the gateway; plain data, because attacks run in processes of their own. */
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
  /** Makes addresses and names differ from round to round. */
  readonly round: number;
}

/** Where a trunk of an account may be: the operator allows this address and no other of loopback. */
export const PROVIDER_HOST = '127.0.0.2';
/** Somebody who has no business with the gateway. */
export const STRANGER_HOST = '127.0.0.7';
