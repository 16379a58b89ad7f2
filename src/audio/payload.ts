/** What a packet carries, in place: `payloadLength` of the bytes from `payloadOffset` on. */
export interface Payload {
  readonly bytes: Uint8Array;
  readonly payloadOffset: number;
  readonly payloadLength: number;
}
