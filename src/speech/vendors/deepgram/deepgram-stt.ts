import type { SttVendor } from '../../stt/stream-recognizer.ts';
import { textAt } from '../../vendor-message.ts';
import { DEEPGRAM } from './deepgram-manners.ts';
import { flux } from './flux-stt.ts';
import { nova } from './nova-stt.ts';

/** Speech-to-text by Deepgram. The model decides the endpoint: only flux finds turns. */
export const deepgramStt: SttVendor = {
  manners: DEEPGRAM,
  ratesHz: [16_000, 24_000, 48_000],
  newDialect: (parts) =>
    textAt(parts.preset.options, 'model')?.startsWith('flux') ? flux(parts) : nova(parts),
};
