import OpusScript from 'opusscript';

/** Codecs that can be used at the same time. */
const CODECS = 240;

/**
 * Makes opusscript work with many codecs; with some dozens in a thread it fails otherwise. Its memory must not grow while
 * codecs exist, so it is made large enough. And it takes the address of a codec's samples for a number of samples, so
 * they lie at twice their address, in the memory of other codecs: the first part of the memory stays unused, and what is
 * behind twice that part too.
 */
export function makeRoomForCodecs(): void {
  const codecs = Array.from(
    { length: 4 * CODECS },
    () => new OpusScript(48_000, 1, OpusScript.Application.AUDIO),
  );
  for (const codec of codecs.slice(CODECS)) codec.delete();
}
