/** Mono audio as a vendor takes or gives it. */
export interface AudioFormat {
  readonly encoding: 's16le' | 'mulaw';
  readonly sampleRateHz: number;
}
