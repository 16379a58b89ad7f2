import { converse, Party } from './conversation.ts';
import { writeOutput } from './output.ts';
import { Progress } from './progress.ts';
import { faults, notes, table } from './report.ts';
import { clipPart, tonePart } from './script.ts';
import { talk } from './talk.ts';
import { talkToAgent } from './talk-to-agent.ts';
import { TwoGateways } from './two-gateways.ts';

/** sysexits.h: EX_USAGE. */
const EXIT_USAGE = 64;
const EXIT_INTERRUPTED = 130;

const INTRODUCTION = `
Two gateways run on this machine, A and B, each the other's SIP trunk. A's agent calls B's number over SIP; then both
agents speak at once, as 16 kHz PCM over WebSocket, and RTP (G.711) carries it: A says a sentence, B plays a tone.
`;
const DELAY_NOTE = `
  The delay is from one agent's send to the other's receive, found in the audio by cross-correlation: resampling both
  ways, G.711, RTP, the adaptive jitter buffer and the playout queue are all in it.
`;

/** Runs the demo. Resolves with the faults of its result. */
async function demo(signal: AbortSignal): Promise<string[]> {
  print(INTRODUCTION);
  const gateways = await TwoGateways.start();
  let wrong: string[];
  try {
    wrong = await callAndExamine(gateways, signal);
  } catch (error) {
    await gateways.stop();
    throw error;
  }
  return [...wrong, ...(await gateways.stop())];
}

async function callAndExamine(gateways: TwoGateways, signal: AbortSignal): Promise<string[]> {
  await gateways.connect();
  const startedMs = performance.now();
  const { outbound, inbound } = await gateways.call();
  print(`  The call is active on both sides after ${(performance.now() - startedMs).toFixed(0)} ms.\n`);
  const clip = clipPart();
  const a = new Party(outbound, gateways.a.agentKey, clip);
  const b = new Party(inbound, gateways.b.agentKey, tonePart(clip));
  const progress = new Progress(a, b);
  await converse([a, b], (elapsedMs, lengthMs) => progress.show(elapsedMs, lengthMs), signal);
  progress.end();
  const [countersA, countersB] = await gateways.hangUp(outbound);
  const { paths, ...findings } = writeOutput(a, b);
  const results = { ...findings, countersA, countersB };
  print(`\n${table(results)}\n${DELAY_NOTE}`);
  print(paths.map((path) => `  ${path}\n`).join(''));
  for (const note of notes(results)) print(`  Note: ${note}.\n`);
  return [...faults(results), ...a.complaints, ...b.complaints];
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** The first signal ends the demo in good order, a second one at once. A reader that goes away counts as one. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(EXIT_INTERRUPTED);
    controller.abort(new Error('interrupted'));
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  process.stdout.on('error', () => controller.abort(new Error('nobody reads')));
  return controller.signal;
}

const DEMOS: Readonly<Record<string, typeof demo>> = { '': demo, talk, agent: talkToAgent };
const USAGE = `npm run demo [-- talk|agent]

  (nothing)  two gateways call each other; one agent says a sentence, the other plays a tone
  talk       two agents talk by hosted speech
  agent      a caller talks with an agent that has a model and no code
`;

const [name = '', ...more] = process.argv.slice(2);
if (name === '--help') {
  process.stdout.write(USAGE);
  process.exit(0);
}
const run = DEMOS[name];
if (run === undefined || more.length > 0) {
  process.stderr.write(USAGE);
  process.exit(EXIT_USAGE);
}
const signal = interruption();
try {
  const wrong = await run(signal);
  for (const line of wrong) process.stderr.write(`  FAILED: ${line}\n`);
  process.exit(wrong.length === 0 ? 0 : 1);
} catch (error) {
  process.stderr.write(`\n  The demo ended early: ${(error as Error).message}\n`);
  process.exit(signal.aborted ? EXIT_INTERRUPTED : 1);
}
