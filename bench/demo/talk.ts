import { startVendor } from '../../test/fakes/speech-vendor/all-vendors.ts';
import { wordErrorRate } from '../../test/support/word-errors.ts';
import { Speaker, type Turn } from './speaker.ts';
import { LOCAL_TALK, recognizesSpeech, type Talk, TONE_TALK } from './talk-script.ts';
import { TwoGateways } from './two-gateways.ts';

/** Of all words. Recognition on this machine is no better than that. */
const MAX_WORD_ERRORS = 0.5;

const INTRODUCTION = `
Two gateways run on this machine, A and B, each the other's SIP trunk. A calls B over SIP. Then both talk by hosted
speech: an agent sends a text to its gateway, which speaks it; the other gateway listens and sends its agent the transcript.
No agent touches any audio.
`;
const LATENCY_NOTE = `
  sound: from the request to the first sound on its way to the other side. text: from the last sound to the transcript,
  with the pause after which the recognizer takes a sentence as said.
`;

/** What the gateways are started with, and the key of their presets where they have one. */
export interface Setup {
  readonly script: Talk;
  readonly env: Readonly<Record<string, string>>;
  readonly key?: string;
}

/** Lets two agents talk by hosted speech. Resolves with the faults of its result. */
export async function talk(signal: AbortSignal): Promise<string[]> {
  return await withSpeech((by) => talkBy(by, signal));
}

/** Runs a demo with the engines inside the gateways, or with a fake vendor where no recognizer is installed. */
export async function withSpeech(run: (by: Setup) => Promise<string[]>): Promise<string[]> {
  if (recognizesSpeech()) return await run(setup(LOCAL_TALK));
  const vendor = await startVendor('deepgram');
  try {
    const urls = { [vendor.manners.setting]: vendor.url };
    return await run({ ...setup(TONE_TALK, urls), key: vendor.keyThatIs('valid') });
  } finally {
    await vendor.stop();
  }
}

function setup(script: Talk, env: Readonly<Record<string, string>> = {}): Setup {
  return { script, env: { SVC_SIP_CODECS: script.codec, ...env } };
}

async function talkBy(by: Setup, signal: AbortSignal): Promise<string[]> {
  print(`${INTRODUCTION}\n${by.script.introduction}\n`);
  const gateways = await TwoGateways.start(by.env);
  let wrong: string[];
  try {
    const speakers = await call(gateways, by);
    wrong = await converse(speakers, by.script.lines, signal);
    for (const { complaints } of speakers) wrong.push(...complaints);
  } catch (error) {
    await gateways.stop();
    throw error;
  }
  return [...wrong, ...(await gateways.stop())];
}

async function call(gateways: TwoGateways, by: Setup): Promise<[Speaker, Speaker]> {
  await addVoices(gateways, by);
  await gateways.connect();
  const { outbound, inbound } = await gateways.call();
  return [new Speaker(gateways.a, outbound), new Speaker(gateways.b, inbound)];
}

/** Lets both speak and listen. */
export async function addVoices(gateways: TwoGateways, { script, key }: Setup): Promise<void> {
  const { provider, voices } = script;
  const access = key === undefined ? { provider } : { provider, api_key: key };
  for (const [i, gateway] of [gateways.a, gateways.b].entries()) {
    await gateways.addPreset(gateway, { kind: 'stt', ...access });
    await gateways.addPreset(gateway, { kind: 'tts', ...access, options: voices[i] });
  }
}

/** Each says a line in turn, and the other hears it before it answers. */
async function converse(
  [a, b]: readonly [Speaker, Speaker],
  lines: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const turns: Turn[] = [];
  await Promise.all([a.ready(signal), b.ready(signal)]);
  for (const [i, text] of lines.entries()) {
    const [speaker, listener] = i % 2 === 0 ? [a, b] : [b, a];
    const [says, hears] = i % 2 === 0 ? ['A', 'B'] : ['B', 'A'];
    print(`  ${says} says   ${text}`);
    const turn = await speaker.say(text, listener, signal);
    print(`  ${hears} hears  ${turn.heard.padEnd(44)} sound ${ms(turn.soundMs)}  text ${ms(turn.textMs)}`);
    turns.push(turn);
  }
  const rate = wordErrorRate(
    lines,
    turns.map(({ heard }) => heard),
  );
  const [sound, text] = [median(turns.map((turn) => turn.soundMs)), median(turns.map((turn) => turn.textMs))];
  print(
    `\n  median: sound ${ms(sound)}, text ${ms(text)}; word errors ${(100 * rate).toFixed(0)} %\n${LATENCY_NOTE}`,
  );
  return rate <= MAX_WORD_ERRORS ? [] : ['most words were not understood'];
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;
}

function ms(value: number): string {
  return `${value.toFixed(0).padStart(4)} ms`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
