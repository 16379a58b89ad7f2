import { AssemblyAiStt } from '../../fakes/assemblyai/stt-socket.ts';
import { CARTESIA_ERRORS } from '../../fakes/cartesia/socket-errors.ts';
import { CartesiaStt } from '../../fakes/cartesia/stt-socket.ts';
import { CartesiaTts } from '../../fakes/cartesia/tts-socket.ts';
import { DeepgramSttSocket } from '../../fakes/deepgram/stt-socket.ts';
import { DeepgramTtsSocket } from '../../fakes/deepgram/tts-socket.ts';
import { ElevenLabsSttSocket } from '../../fakes/elevenlabs/stt-socket.ts';
import { ElevenLabsTtsSocket } from '../../fakes/elevenlabs/tts-socket.ts';
import { OpenAiAudio } from '../../fakes/openai/audio-routes.ts';
import type { FakeVendor } from '../../fakes/speech-vendor/fake-vendor.ts';

/** Ends what is open. Returns words that the fault must have. */
export type Ending = (vendor: FakeVendor) => string;

export interface SttEndings {
  /** The session has lasted too long. */
  readonly cap?: Ending;
  /** The key no longer counts. Deepgram and OpenAI tell only when they are asked again. */
  readonly badKey?: Ending;
  readonly outOfFunds?: Ending;
}

/** How vendors end sessions of speech recognition by themselves. */
export const STT_ENDINGS: Readonly<Record<string, SttEndings>> = {
  elevenlabs: {
    cap: scribe('session_time_limit_exceeded', 'Maximum session time reached'),
    badKey: scribe('auth_error', 'You must be authenticated to use this endpoint.'),
    outOfFunds: scribe('quota_exceeded', 'You have exceeded your quota'),
  },
  deepgram: {
    cap: (vendor) => {
      vendor.part(DeepgramSttSocket).closeAll(1011, 'The session is over: NET-0000');
      return 'NET-0000';
    },
  },
  cartesia: {
    cap: (vendor) => {
      vendor.part(CartesiaStt).closeAll(1000, 'The session is over');
      return 'The session is over';
    },
    badKey: ink('badKey'),
    outOfFunds: ink('outOfFunds'),
  },
  assemblyai: {
    cap: universal(3008, 'Session Expired: Maximum session duration exceeded'),
    badKey: universal(1008, 'Unauthorized Connection: invalid API key'),
    outOfFunds: universal(1008, 'Insufficient account balance'),
  },
  openai: {},
};

/** How vendors end idle sessions of text-to-speech. OpenAI has none. */
export const TTS_CAPS: Readonly<Record<string, (vendor: FakeVendor) => void>> = {
  elevenlabs: (vendor) => vendor.part(ElevenLabsTtsSocket).closeAll(1008, 'input_timeout_exceeded'),
  deepgram: (vendor) => vendor.part(DeepgramTtsSocket).closeAll(1011, 'The session is over: NET-0000'),
  cartesia: (vendor) => vendor.part(CartesiaTts).closeAll(1000, 'connection idle timeout'),
};

/** Has a vendor send audio about as fast as it is played. OpenAI sends 0.6 s and then no more. */
export function slowDown(vendor: FakeVendor): void {
  switch (vendor.manners.name) {
    case 'elevenlabs':
      vendor.part(ElevenLabsTtsSocket).paceMs = 250;
      break;
    case 'deepgram':
      vendor.part(DeepgramTtsSocket).paceMs = 150;
      break;
    case 'cartesia':
      vendor.part(CartesiaTts).chunkDelayMs = 90;
      break;
    default:
      vendor.part(OpenAiAudio).faults.push({ stallAfterBytes: 30_000 });
  }
}

function scribe(type: string, words: string): Ending {
  return (vendor) => {
    vendor.part(ElevenLabsSttSocket).failAll(type, words);
    return words;
  };
}

function ink(name: 'badKey' | 'outOfFunds'): Ending {
  return (vendor) => {
    const error = CARTESIA_ERRORS[name];
    for (const stream of vendor.part(CartesiaStt).streams) stream.fail(error);
    return error.message;
  };
}

function universal(code: number, words: string): Ending {
  return (vendor) => {
    for (const session of vendor.part(AssemblyAiStt).sessions) session.fail(code, words);
    return words;
  };
}
