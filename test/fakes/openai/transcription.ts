import type { ToneFormat } from '../tone-speech.ts';
import { AudioError, modelGone } from './audio-errors.ts';

/** A request for a transcription and its answer. */
export interface Transcription {
  readonly model: string;
  readonly fields: Readonly<Record<string, readonly string[]>>;
  readonly durationMs: number;
  readonly answer: { readonly text: string; readonly languages?: readonly { readonly code: string }[] };
}

const MODELS: ReadonlySet<string> = new Set([
  'whisper-1',
  'gpt-transcribe',
  'gpt-4o-transcribe',
  'gpt-4o-mini-transcribe',
  'gpt-4o-mini-transcribe-2025-12-15',
  'gpt-4o-transcribe-diarize',
]);
/** TranscriptionCreateParams of the openai package, 7.57.0. */
const FIELDS: ReadonlySet<string> = new Set([
  'file',
  'model',
  'chunking_strategy',
  'include[]',
  'keywords[]',
  'known_speaker_names[]',
  'known_speaker_references[]',
  'language',
  'languages[]',
  'prompt',
  'response_format',
  'stream',
  'temperature',
  'timestamp_granularities[]',
]);
/** gpt-transcribe alone takes them. */
const NEW_FIELDS = ['keywords[]', 'languages[]'];
const FILE_NAME = /\.(flac|mp3|mp4|mpeg|mpga|m4a|ogg|wav|webm)$/;
const HEADER_BYTES = 44;
const SHORTEST_MS = 100;

/** What is said in some samples. */
export type Understand = (samples: Uint8Array, format: ToneFormat, durationMs: number) => string;

/** Understands a form as OpenAI does, or throws the API's error. */
export async function transcribe(form: FormData, understand: Understand): Promise<Transcription> {
  const names = [...new Set(form.keys())];
  const unknown = names.find((name) => !FIELDS.has(name));
  if (unknown) throw new AudioError(400, `Unknown parameter: '${unknown}'.`, { code: 'unknown_parameter' });
  const fields = Object.fromEntries(
    names.filter((name) => name !== 'file').map((name) => [name, form.getAll(name).map(String)]),
  );
  const model = fields.model?.[0] ?? '';
  if (!MODELS.has(model)) throw modelGone(model);
  checkFields(model, fields);
  const file = form.get('file');
  if (!(file instanceof File)) throw new AudioError(400, "Missing required parameter: 'file'.");
  const { samples, format, durationMs } = await samplesOf(file);
  if (durationMs < SHORTEST_MS) {
    throw new AudioError(400, 'Audio file is too short. Minimum audio length is 0.1 seconds.', {
      code: 'audio_too_short',
    });
  }
  const text = understand(samples, format, durationMs);
  // Whisper invents words where there are none.
  const heard = text === '' && model === 'whisper-1' ? 'Thank you.' : text;
  const answer = { text: heard, ...(model === 'gpt-transcribe' && { languages: [{ code: 'en' }] }) };
  return { model, fields, durationMs, answer };
}

function checkFields(model: string, fields: Readonly<Record<string, readonly string[]>>): void {
  const format = fields.response_format?.[0] ?? 'json';
  if (model !== 'whisper-1' && format !== 'json') {
    throw new AudioError(400, `response_format '${format}' is not compatible with model '${model}'.`, {
      code: 'unsupported_value',
    });
  }
  const misplaced = NEW_FIELDS.find((name) => fields[name] && model !== 'gpt-transcribe');
  if (misplaced) throw new AudioError(400, `'${misplaced}' is not supported by '${model}'.`);
  const temperature = Number(fields.temperature?.[0] ?? 0);
  if (!(temperature >= 0 && temperature <= 1)) throw new AudioError(400, "Invalid 'temperature'.");
  const language = fields.language?.[0];
  if (language !== undefined && !/^[a-z]{2,3}$/.test(language)) {
    throw new AudioError(
      400,
      `Invalid language '${language}'. Language parameter must be specified in ISO-639-1 format.`,
    );
  }
}

async function samplesOf(file: File) {
  const wav = Buffer.from(await file.arrayBuffer());
  const isWav = wav.toString('latin1', 0, 4) === 'RIFF' && wav.toString('latin1', 8, 16) === 'WAVEfmt ';
  const sampleRateHz = isWav ? wav.readUInt32LE(24) : 0;
  const isWhole = isWav && wav.readUInt32LE(40) === wav.length - HEADER_BYTES && wav.readUInt16LE(34) === 16;
  if (!FILE_NAME.test(file.name) || file.type === '' || !isWhole || wav.readUInt16LE(22) !== 1) {
    throw new AudioError(400, 'Invalid file format.');
  }
  const samples = wav.subarray(HEADER_BYTES);
  const format = { encoding: 's16le', sampleRateHz } as const;
  return { samples, format, durationMs: samples.length / 2 / (sampleRateHz / 1_000) };
}
