import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RtpCodec } from '../../src/rtp/rtp-protocol.ts';
import { Agent } from '../support/agent.ts';
import { STOI_RATE_HZ, stoi } from '../support/audio-quality/stoi.ts';
import { Gateway } from '../support/gateway.ts';
import { startMediaClock } from '../support/media-clock.ts';
import { SENTENCES } from '../support/speech/spoken-texts.ts';
import { joined, resampled, speech } from '../support/speech-signal.ts';
import { retryAudio } from '../support/stall-probe.ts';
import { waitFor } from '../support/wait-for.ts';
import { ScriptedPeer, sdp } from '../unit/connectors/sip/signaling/scripted-peer.ts';
import { CodecSpeaker, speechSource } from '../unit/rtp/codec-speaker.ts';
import { RtpPeer } from '../unit/rtp/rtp-peer.ts';

const RATE_HZ = 48_000;
const FRAME = RATE_HZ / 50;
const ORDER: readonly RtpCodec[] = ['opus', 'PCMU', 'PCMA', 'opus'];
/** Signaling, the jitter buffer and the codecs. */
const MOST_DELAY_MS = 800;
const STEP = STOI_RATE_HZ / 1_000;

let gateway: Gateway;
let peer: ScriptedPeer;
let phone: RtpPeer;

beforeAll(async () => {
  gateway = await Gateway.start({ env: { SVC_SIP_CODECS: 'opus,PCMU,PCMA' } });
  peer = await ScriptedPeer.start();
  peer.facing(gateway.sipPort);
  phone = await RtpPeer.start();
  await gateway.putTrunk({ host: '127.0.0.1', port: peer.port });
});

afterAll(async () => {
  phone?.close();
  peer?.stop();
  await gateway?.stop();
});

const atStoiRate = (samples: Int16Array): Float64Array =>
  Float64Array.from(resampled(samples, RATE_HZ, STOI_RATE_HZ));

it('a phone that has agreed on Opus, PCMU and PCMA is understood in each, in one call', {
  retry: retryAudio(),
  timeout: 120_000,
}, async () => {
  // Before the call: the agent hears it from its answer on, and this takes a while.
  const said = joined(...SENTENCES.slice(0, 4).map((text) => speech(text, RATE_HZ)));
  const call = await gateway.placeCall('sip:+33123456789@127.0.0.1');
  const agent = await Agent.join(call.audio.stream_url, gateway.agentKey, { sampleRateHz: RATE_HZ });
  const invite = await peer.request('INVITE');
  const rtpPort = Number(/m=audio (?<port>\d+)/.exec(invite.content)!.groups!.port);
  const body = sdp(phone.port, { codecs: '111 0 8 101', attributes: ['rtpmap:111 opus/48000/2'] });
  peer.answer(invite, 200, { body });
  await agent.waitFor('call_state', { state: 'active' });

  const part = Math.floor(said.length / FRAME / ORDER.length);
  const speaker = new CodecSpeaker(speechSource(said, RATE_HZ));
  let sent = 0;
  const clock = startMediaClock((index) => {
    sent = index + 1;
    const codec = ORDER[Math.floor(index / part)];
    if (codec !== undefined) void phone.send(speaker.frame(codec), rtpPort);
  });
  await waitFor('the end of the speech', () => sent > part * ORDER.length + 50, 60_000);
  clock.stop();
  const heard = atStoiRate(agent.heardSamples());
  await agent.close();

  const scores = ORDER.map((codec, i) => {
    const full = said.subarray(i * part * FRAME, (i + 1) * part * FRAME);
    // G.711 has nothing above 4 kHz, which STOI would take for a loss.
    const clean = atStoiRate(
      codec === 'opus' ? full : resampled(resampled(full, RATE_HZ, 8_000), 8_000, RATE_HZ),
    );
    const from = Math.floor((i * part * STOI_RATE_HZ) / 50);
    let best = 0;
    for (let late = 0; late < MOST_DELAY_MS; late++)
      best = Math.max(
        best,
        stoi(clean, heard.subarray(from + late * STEP, from + late * STEP + clean.length)),
      );
    return `${codec} ${best.toFixed(3)}`;
  });
  console.log(`STOI of one call, in the order sent: ${scores.join(', ')}`);
  for (const score of scores) expect(Number(score.split(' ')[1]), score).toBeGreaterThan(0.9);
});
