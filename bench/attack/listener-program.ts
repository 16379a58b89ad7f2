/**
 * The agent of the live call, in its own process so that no other measurement delays it:
 * `listener-program.ts <stream URL> <key>`. It answers every message with a report of what it heard since the last one.
 */
import { Agent, type StreamEvent } from '../../test/support/agent.ts';
import { streamTone } from '../../test/support/tone-stream.ts';
import { AGENT_TONE_HZ, AMPLITUDE, PHONE_TONE_HZ, ToneWatch } from './tone-watch.ts';

const SAMPLE_RATE_HZ = 16_000;
/** This process may be late by as much. */
const AHEAD_MS = 600;
const DRAIN_MS = 100;

const [streamUrl = '', key = ''] = process.argv.slice(2);
const agent = await Agent.join(streamUrl, key, { sampleRateHz: SAMPLE_RATE_HZ });
const watch = new ToneWatch(SAMPLE_RATE_HZ, PHONE_TONE_HZ, AMPLITUDE);
streamTone(agent, AGENT_TONE_HZ, AHEAD_MS);
let errorsTold = 0;
let isClosed = false;

function drain(): number {
  const frames = agent.heard.splice(0);
  for (const { samples } of frames) watch.hear(samples);
  return frames.length;
}

function newErrors(): StreamEvent[] {
  const errors = agent.events.filter(({ type }) => type === 'call_error');
  const fresh = errors.slice(errorsTold);
  errorsTold = errors.length;
  return fresh;
}

setInterval(drain, DRAIN_MS);
void agent.closed.then(() => {
  isClosed = true;
});
process.on('message', () => {
  drain();
  const lostMs = newErrors().reduce((sum, { lost_ms }) => sum + Number(lost_ms ?? 0), 0);
  process.send?.({ ...watch.take(), droppedMs: lostMs, isClosed });
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
