/** A packet's payload, in place: `payloadLength` bytes from `payloadOffset`. */
export interface Payload {
  /** RTP payload type. It tells the codec of a stream that may change it, and is left out for any other. */
  readonly payloadType?: number;
  readonly bytes: Uint8Array;
  readonly payloadOffset: number;
  readonly payloadLength: number;
}
