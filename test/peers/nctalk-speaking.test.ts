import { chromium } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { Janus } from '../support/janus.ts';
import { requirePeer } from '../support/require-peer.ts';
import { TalkCall } from '../support/talk-call.ts';
import { TalkRoom } from '../support/talk-room.ts';
import { waitFor } from '../support/wait-for.ts';

const FLAGS = [
  '--no-sandbox',
  '--autoplay-policy=no-user-gesture-required',
  '--allow-loopback-in-peer-connection',
  // Janus would have to look their names up.
  '--disable-features=WebRtcHideLocalIpsWithMdns',
];

it.skipIf(requirePeer('janus', 'chromium'))('a person in Chromium speaks when they do', async () => {
  const janus = await Janus.start();
  onTestFinished(() => janus.stop());
  const call = await TalkCall.open(1_300);
  onTestFinished(() => call.close());
  const room = await TalkRoom.open(janus);
  onTestFinished(() => room.close());
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS });
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const offer = await page.evaluate(offerFromPage);
  const answer = await room.enterBySdp('carla', offer);
  await page.evaluate(takeAnswer, answer);
  await waitFor('Chromium', () =>
    page.evaluate(() => globalThis.person.connection.connectionState === 'connected'),
  );
  await room.openTransport(call.bridges, call.rings);
  await room.subscribe('carla');
  const speaking = () => room.signals.findLast(({ type }) => type === 'speaking');
  for (const on of [true, false, true, false]) {
    await page.evaluate(turn, on ? 0.3 : 0);
    await waitFor(`carla to ${on ? 'speak' : 'be silent'}`, () => {
      const signal = speaking();
      return signal?.type === 'speaking' && signal.on === on;
    });
  }
  expect(room.signals.filter(({ type }) => type === 'speaking')).toHaveLength(4);
});

interface Person {
  readonly connection: {
    readonly connectionState: string;
    setRemoteDescription(answer: object): Promise<void>;
  };
  readonly volume: { readonly gain: { value: number } };
}

declare global {
  var person: Person;
}

/** Runs in the page: a tone that can be turned up and down. */
async function offerFromPage(): Promise<string> {
  // biome-ignore lint/suspicious/noExplicitAny: a browser's classes, which this project has no types of
  const { AudioContext, RTCPeerConnection } = globalThis as any;
  const audio = new AudioContext();
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  const out = audio.createMediaStreamDestination();
  volume.gain.value = 0;
  tone.connect(volume).connect(out);
  tone.start();
  const connection = new RTCPeerConnection();
  connection.addTransceiver(out.stream.getAudioTracks()[0], { direction: 'sendonly' });
  await connection.setLocalDescription(await connection.createOffer());
  await new Promise((resolve) => {
    connection.onicegatheringstatechange = () => connection.iceGatheringState === 'complete' && resolve(null);
  });
  globalThis.person = { connection, volume };
  return connection.localDescription.sdp;
}

/** Runs in the page. */
async function takeAnswer(sdp: string): Promise<void> {
  await globalThis.person.connection.setRemoteDescription({ type: 'answer', sdp });
}

/** Runs in the page. */
function turn(gain: number): void {
  globalThis.person.volume.gain.value = gain;
}
