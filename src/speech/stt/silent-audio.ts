import type { AudioFormat } from '../audio-format.ts';

/** −36 dBFS. */
const QUIET_PEAK = 512;
/** The same as the magnitude of a µ-law code (ITU-T G.711), of which all bits are inverted. */
const QUIET_MULAW = 0x23;

/** Whether audio is so quiet that nothing is said in it. */
export function isSilent(audio: Uint8Array, { encoding }: AudioFormat): boolean {
  return encoding === 'mulaw' ? isSilentMulaw(audio) : isSilentPcm(audio);
}

function isSilentMulaw(codes: Uint8Array): boolean {
  return codes.every((code) => (~code & 0x7f) <= QUIET_MULAW);
}

function isSilentPcm(bytes: Uint8Array): boolean {
  const samples = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    if (Math.abs(samples.getInt16(at, true)) > QUIET_PEAK) return false;
  }
  return true;
}
