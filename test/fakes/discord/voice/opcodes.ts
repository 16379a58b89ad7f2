/** Opcodes of the voice gateway, version 8. */
export const OP = {
  identify: 0,
  selectProtocol: 1,
  ready: 2,
  heartbeat: 3,
  sessionDescription: 4,
  speaking: 5,
  heartbeatAck: 6,
  resume: 7,
  hello: 8,
  resumed: 9,
  clientsConnect: 11,
  clientDisconnect: 13,
  clientFlags: 18,
  clientPlatform: 20,
  prepareTransition: 21,
  executeTransition: 22,
  transitionReady: 23,
  prepareEpoch: 24,
  externalSender: 25,
  keyPackage: 26,
  proposals: 27,
  commitWelcome: 28,
  announceCommit: 29,
  welcome: 30,
  invalidCommit: 31,
} as const;

/** How the voice gateway speaks to one of its clients, whether over a socket or within this process. */
export interface VoiceClient {
  readonly userId: string;
  readonly isBot: boolean;
  tell(op: number, data: object): void;
  tellBinary(op: number, payload: Uint8Array): void;
}
