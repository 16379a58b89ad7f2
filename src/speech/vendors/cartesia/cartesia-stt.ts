import type { SttVendor } from '../../stt/stream-recognizer.ts';
import { textAt } from '../../vendor-message.ts';
import { CARTESIA } from './cartesia-manners.ts';
import { ink2 } from './ink2-stt.ts';
import { whisper } from './whisper-stt.ts';

/** Speech-to-text by Cartesia. The model decides the endpoint: only ink-2 finds turns. */
export const cartesiaStt: SttVendor = {
  manners: CARTESIA,
  ratesHz: [16_000, 24_000, 44_100, 48_000],
  newDialect: (parts) =>
    textAt(parts.preset.options, 'model')?.startsWith('ink-whisper') ? whisper(parts) : ink2(parts),
};
