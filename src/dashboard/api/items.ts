import type { Answers } from './answers.ts';

/** What several pages show, out of the answers that have it. */
export type Agent = Answers['GET /api/agents']['agents'][number];
export type Call = Answers['GET /api/calls']['calls'][number];
export type Conversation = Answers['GET /api/inbox']['conversations'][number];
export type Key = Answers['GET /api/api-keys']['keys'][number];
export type Platform = Answers['GET /api/platforms']['platforms'][number];
export type Preset = Answers['GET /api/voice-configs']['voice_configs'][number];
export type SpeechKind = Preset['kind'];
