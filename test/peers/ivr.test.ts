import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { FakeIvr } from '../fakes/ivr/fake-ivr.ts';
import { Baresip } from '../support/baresip.ts';
import type { BaresipOptions } from '../support/baresip-config.ts';
import { PhoneLine } from '../support/phone-line.ts';
import { requirePeer } from '../support/require-peer.ts';
import { waitFor } from '../support/wait-for.ts';

const ENTERED = ['81234567890#', '*123456#'];
/** ITU-T Q.23. */
const ROWS_HZ = [697, 770, 852, 941];
const COLUMNS_HZ = [1209, 1336, 1477, 1633];
const KEYPAD = '123A456B789C*0#D';

/** Writes a WAV with the sounds of keys as sox makes them; a space is half a second of silence. */
function writeKeys(folder: string, keys: string): string {
  const parts = [...keys].map((key, i) => {
    const path = join(folder, `${i}.wav`);
    const at = KEYPAD.indexOf(key);
    const [row, column] = [ROWS_HZ[Math.floor(at / 4)], COLUMNS_HZ[at % 4]];
    const sound = [
      'synth',
      '0.08',
      'sine',
      `${row}`,
      'synth',
      'sine',
      'mix',
      `${column}`,
      'gain',
      '-9',
      'pad',
      '0',
      '0.07',
    ];
    sox(path, at < 0 ? ['trim', '0', '0.5'] : sound);
    return path;
  });
  const path = join(folder, 'keys.wav');
  execFileSync('sox', [...parts, path]);
  return path;
}

function sox(path: string, effects: readonly string[]): void {
  execFileSync('sox', ['-n', '-r', '8000', '-c', '1', '-b', '16', path, ...effects]);
}

describe.skipIf(requirePeer('baresip', 'sox'))('the fake dial-in number and a telephone', () => {
  let ivr: FakeIvr;
  let folder: string;

  beforeAll(async () => {
    ivr = await FakeIvr.start();
    folder = mkdtempSync(join(tmpdir(), 'keys-'));
  });
  afterAll(() => {
    ivr?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function call(number: string, options: Partial<BaresipOptions> = {}) {
    const phone = await Baresip.start({ user: 'phone', ...options });
    onTestFinished(() => phone.stop());
    await phone.dial(`sip:${number}@127.0.0.1:${ivr.port}`);
    await phone.waitFor('CALL_ESTABLISHED');
    return { phone, caller: await ivr.caller(number) };
  }

  it('joins by telephone-events', async () => {
    const { phone, caller } = await call(ivr.addNumber());
    await phone.sendDtmf('81234567890#*123456#');
    await caller.reaches('meeting');
    expect([caller.menu.entries, caller.faults, ivr.violations]).toEqual([ENTERED, [], []]);
    await phone.hangUp();
    await waitFor('the end of the call', () => caller.isOver);
  });

  it('joins by tones, which it plays as its microphone', async () => {
    const wavPath = writeKeys(folder, '  81234567890# *123456#  ');
    const { caller } = await call(ivr.addNumber({ digits: 'tones' }), { source: { wavPath } });
    await caller.reaches('meeting');
    expect([caller.menu.entries, ivr.violations]).toEqual([ENTERED, []]);
  });

  it('is hung up on for a wrong passcode', async () => {
    const { phone, caller } = await call(ivr.addNumber({ attempts: 1 }));
    await phone.sendDtmf('81234567890#*000000#');
    await phone.waitFor('CALL_CLOSED');
    expect(caller.menu.place).toBe('hangs-up');
  });
});

describe.skipIf(requirePeer('baresip'))('keys after the answer, at a telephone', () => {
  let line: PhoneLine;

  beforeAll(async () => {
    line = await PhoneLine.start({ phone: { answer: 'auto' } });
  });
  afterAll(() => line?.stop());

  it('arrive once each, before the call is active', async () => {
    const { call_id } = await line.gateway.placeCall('+33123456789,1234567890*#ABCD');
    await line.gateway.waitForState(call_id, 'active');
    expect(line.phone.receivedDigits).toBe('1234567890*#ABCD');
    await line.gateway.agentApi.delete(`/api/call/${call_id}`);
  });
});
