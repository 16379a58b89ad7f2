import { type FakeModel, modelWire } from '../responses/fake-model.ts';

/** The models that the fake has: some for text, and some for other things. */
export const OPENAI_MODELS: readonly FakeModel[] = [
  { id: 'gpt-6-luna', isReasoning: true },
  { id: 'gpt-6.1-sol', isReasoning: true },
  { id: 'gpt-4o-mini', shutdownDate: '2027-01-14' },
  { id: 'gpt-4o-mini-tts' },
  { id: 'gpt-transcribe' },
  { id: 'text-embedding-3-large' },
];

/** `GET /v1/models`. */
export const OPENAI_MODEL_LIST = { object: 'list', data: OPENAI_MODELS.map(modelWire) };
