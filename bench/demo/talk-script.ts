import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** How the demo speaks and listens, and what is said. */
export interface Talk {
  readonly provider: string;
  readonly codec: string;
  /** Options of the text-to-speech presets of A and B. */
  readonly voices: readonly [object, object];
  /** What A and B say, in turn. */
  readonly lines: readonly string[];
  /** For people. */
  readonly introduction: string;
}

/** The engines inside the gateway. */
export const LOCAL_TALK: Talk = {
  provider: 'local',
  codec: 'opus',
  voices: [{ voice: 'slt' }, { voice: 'rms' }],
  lines: [
    'good morning how can i help you',
    'i would like to speak with the manager',
    'the manager is in a meeting',
    'please call me back tomorrow morning',
    'thank you very much for your patience',
    'thank you and have a nice day',
  ],
  introduction: 'Flite speaks and pocketsphinx listens, both inside the gateways. The call uses Opus.',
};

/** Words that fakes of a vendor say and understand as tones. */
export const TONE_TALK: Talk = {
  provider: 'deepgram',
  codec: 'PCMU',
  voices: [{}, {}],
  lines: [
    'alpha bravo',
    'charlie delta echo',
    'foxtrot golf',
    'hotel india juliett',
    'kilo lima',
    'mike november',
  ],
  introduction: `pocketsphinx is not installed (Debian: apt-get install pocketsphinx pocketsphinx-en-us), so a fake
vendor on this machine speaks and listens. Its words are tones.`,
};

/** A talk with an agent that has a model. */
export interface AgentTalk {
  readonly greeting: string;
  /** What the caller says, and what the model answers. */
  readonly turns: readonly (readonly [string, string])[];
}

export const LOCAL_AGENT_TALK: AgentTalk = {
  greeting: 'good morning how can i help you',
  turns: [
    ['i would like to speak with the manager', 'The manager is in a meeting.'],
    ['please call me back tomorrow morning', 'Thank you very much for your patience.'],
    ['thank you and have a nice day', 'Thank you and have a nice day.<leave/>'],
  ],
};

export const TONE_AGENT_TALK: AgentTalk = {
  greeting: 'alpha bravo',
  turns: [
    ['charlie delta echo', 'foxtrot golf'],
    ['hotel india', 'juliett kilo lima'],
    ['mike november', 'oscar papa<leave/>'],
  ],
};

export function recognizesSpeech(): boolean {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.some((folder) => existsSync(join(folder, 'pocketsphinx_continuous')));
}
