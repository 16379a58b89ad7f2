import { systemClock } from '../../src/base/time.ts';
import { DeepgramSttSocket } from '../../test/fakes/deepgram/stt-socket.ts';
import { DeepgramTtsSocket } from '../../test/fakes/deepgram/tts-socket.ts';
import { SpeechHost, type VendorPart } from '../../test/fakes/speech-host.ts';

const KEY = 'key-of-the-demo';

/** Accepts the key, so that presets can be stored. */
const KEY_CHECK: VendorPart = {
  serve: (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    return true;
  },
};

/** A fake Deepgram on this machine. */
export async function startFakeVendor() {
  const host = await SpeechHost.start(
    KEY_CHECK,
    new DeepgramSttSocket(KEY, systemClock),
    new DeepgramTtsSocket(KEY, systemClock),
  );
  return { key: KEY, settings: { SVC_DEEPGRAM_URL: host.url }, stop: () => host.stop() };
}
