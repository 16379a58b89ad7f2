/** A packet's payload, in place: `payloadLength` bytes from `payloadOffset`. */
export interface Payload {
  readonly bytes: Uint8Array;
  readonly payloadOffset: number;
  readonly payloadLength: number;
}
