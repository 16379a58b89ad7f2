import {
  flag,
  HEARING,
  INTERRUPTIONS,
  keyterms,
  language,
  model,
  number,
  text,
  voice,
} from '../../options/shared-options.ts';
import type { AskVendor } from '../../providers/ask-vendor.ts';
import type { SpeechProvider, SpeechService } from '../../providers/provider.ts';
import { allPages, VOICES_PER_PAGE, type Voice, type VoiceList, voicesIn } from '../../providers/voices.ts';
import { isTrueAt, objectAt, objectsAt, textAt, type VendorMessage } from '../../vendor-message.ts';
import { ELEVENLABS } from './elevenlabs-manners.ts';

const TTS: SpeechService = {
  modelEnds: [],
  fields: [
    voice('Id of a voice of the account. The default is one that every account has', 'bIHbv24MWmeRgasZH58o'),
    model(
      ['eleven_flash_v2_5', 'eleven_turbo_v2_5', 'eleven_multilingual_v2', 'eleven_v3_conversational'],
      'eleven_turbo_v2_5',
      'flash answers soonest',
    ),
    language('ISO 639-1, such as en, for the flash and turbo models; without one, the model detects it'),
    number('stability', 'Stability', 'Low: livelier; high: steadier', [0, 1, 0.5]),
    number('similarity_boost', 'Similarity', 'Closeness to the original voice', [0, 1, 0.75]),
    number('style', 'Style', "Exaggeration of the voice's style; more takes longer", [0, 1, 0]),
    flag('use_speaker_boost', 'Speaker boost', 'Closer to the speaker, at some cost of time', true),
    number('speed', 'Speed', '1 is normal', [0.7, 1.2, 1]),
    text('apply_text_normalization', 'Text normalization', 'Whether numbers and dates are spelled out', {
      choices: ['auto', 'on', 'off'],
      default: 'auto',
    }),
    ...INTERRUPTIONS,
  ],
};

const STT: SpeechService = {
  modelEnds: [],
  fields: [
    model(['scribe_v2_realtime'], 'scribe_v2_realtime'),
    language('ISO 639-1 or 639-3; without one, it is detected'),
    text(
      'commit_strategy',
      'End of speech',
      'Who finds the end of what was said: ElevenLabs (vad), or the gateway (manual)',
      { choices: ['vad', 'manual'], default: 'vad' },
    ),
    number(
      'vad_silence_threshold_secs',
      'Silence',
      'Seconds of silence that end what was said, with vad',
      [0.3, 3, 1.5],
    ),
    number(
      'vad_threshold',
      'Voice threshold',
      'Certainty from which sound counts as speech, with vad',
      [0.1, 0.9, 0.4],
    ),
    keyterms(50, 20),
    flag('no_verbatim', 'Without fillers', 'Leaves out fillers and false starts', false),
    ...HEARING,
  ],
};

/** https://elevenlabs.io/docs/api-reference */
export const elevenlabs: SpeechProvider = {
  name: 'elevenlabs',
  title: ELEVENLABS.title,
  regions: [
    { name: 'global', title: 'Global', url: 'https://api.elevenlabs.io' },
    { name: 'us', title: 'United States', url: 'https://api.us.elevenlabs.io' },
    {
      name: 'eu',
      title: 'European Union, with data residency',
      url: 'https://api.eu.residency.elevenlabs.io',
    },
    { name: 'in', title: 'India, with data residency', url: 'https://api.in.residency.elevenlabs.io' },
    { name: 'sg', title: 'Singapore, with data residency', url: 'https://api.sg.residency.elevenlabs.io' },
  ],
  kinds: { stt: STT, tts: TTS },
  keys: {
    manners: ELEVENLABS,
    // One voice: `/v1/user` would need a permission of its own.
    path: '/v2/voices?page_size=1',
    // A genuine key answers 401 as well when it lacks a permission or money.
    codes: { missing_permissions: 'limited_scope', quota_exceeded: 'out_of_funds' },
  },
  listVoices,
};

async function listVoices(ask: AskVendor): Promise<VoiceList> {
  return await allPages(async (token) => {
    const query = new URLSearchParams({
      page_size: `${VOICES_PER_PAGE}`,
      ...(token !== '' && { next_page_token: token }),
    });
    const body = await ask(`/v2/voices?${query}`);
    const voices = voicesIn(body, 'voices', 'voice_id', voiceOf);
    return { voices, next: (isTrueAt(body, 'has_more') && textAt(body, 'next_page_token')) || '' };
  });
}

function voiceOf(entry: VendorMessage, id: string): Voice {
  const labels = objectAt(entry, 'labels');
  const verified = objectsAt(entry, 'verified_languages').map((each) => textAt(each, 'language'));
  const languages = verified.length > 0 ? verified : [textAt(labels, 'language')];
  return {
    id,
    name: textAt(entry, 'name') ?? id,
    description: textAt(entry, 'description'),
    languages: [...new Set(languages)].filter((each) => each !== null),
    gender: textAt(labels, 'gender'),
    previewUrl: textAt(entry, 'preview_url'),
  };
}
