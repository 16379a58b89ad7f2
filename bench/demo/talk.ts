import { wordErrorRate } from '../../test/support/word-errors.ts';
import { startFakeVendor } from './fake-vendor.ts';
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

/** Lets two agents talk by hosted speech. Resolves with the faults of its result. */
export async function talk(signal: AbortSignal): Promise<string[]> {
  const script = recognizesSpeech() ? LOCAL_TALK : TONE_TALK;
  print(`${INTRODUCTION}\n${script.introduction}\n`);
  const vendor = script === TONE_TALK ? await startFakeVendor() : null;
  try {
    return await talkBetween(
      script,
      { SVC_SIP_CODECS: script.codec, ...vendor?.settings },
      vendor?.key,
      signal,
    );
  } finally {
    await vendor?.stop();
  }
}

async function talkBetween(
  script: Talk,
  env: Readonly<Record<string, string>>,
  key: string | undefined,
  signal: AbortSignal,
): Promise<string[]> {
  const gateways = await TwoGateways.start(env);
  let wrong: string[];
  try {
    const speakers = await callBySpeech(gateways, script, key);
    wrong = await converse(speakers, script.lines, signal);
    for (const speaker of speakers) wrong.push(...speaker.complaints);
  } catch (error) {
    await gateways.stop();
    throw error;
  }
  return [...wrong, ...(await gateways.stop())];
}

async function callBySpeech(
  gateways: TwoGateways,
  { provider, voices }: Talk,
  key: string | undefined,
): Promise<[Speaker, Speaker]> {
  const access = key === undefined ? { provider } : { provider, api_key: key };
  for (const [i, gateway] of [gateways.a, gateways.b].entries()) {
    await gateways.addPreset(gateway, { kind: 'stt', ...access });
    await gateways.addPreset(gateway, { kind: 'tts', ...access, options: voices[i] });
  }
  await gateways.connect();
  const { outbound, inbound } = await gateways.call();
  return [new Speaker(gateways.a, outbound), new Speaker(gateways.b, inbound)];
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
