import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { SpeechKind } from '../../../src/base/speech.ts';
import type { CallEvent } from '../../../src/calls/call-event.ts';
import { presetsOfNumber } from '../../../src/calls/choose-presets.ts';
import { insertRow, takeRow } from '../../../src/store/database/rows.ts';
import { type StoredVoiceConfig, updateVoiceConfig } from '../../../src/store/speech/voice-configs.ts';
import { waitFor } from '../../support/wait-for.ts';
import { NOW } from '../store/temporary.ts';
import { WHOLE } from './fake-meetings.ts';
import { MeetingWorld } from './meeting-world.ts';

/** A world in which the account `a` can place calls, and presets. */
async function world() {
  const meetings = await MeetingWorld.open();
  await meetings.bot('a', 'bot_a');
  const { db } = meetings.store;
  const preset = async (name: 'a' | 'b', kind: SpeechKind, enabled: boolean): Promise<StoredVoiceConfig> => {
    const config = {
      id: randomUUID(),
      accountId: `acc_${name}`,
      kind,
      provider: 'local',
      name: kind,
      region: null,
      options: {},
      sealedKey: null,
      enabled,
      keyStatus: 'not_needed',
      keyDetail: null,
      checkedAt: NOW,
      createdAt: NOW,
      updatedAt: NOW,
    } as const;
    await insertRow(db, 'voiceConfigs', config);
    return config;
  };
  return { meetings, db, preset };
}

test('a call has the enabled preset of each kind, or none', async () => {
  const { meetings, preset } = await world();
  expect((await meetings.place()).capabilities.presets).toEqual({ stt: null, tts: null });
  const tts = await preset('a', 'tts', true);
  await preset('a', 'stt', false);
  await preset('b', 'stt', true);
  expect((await meetings.place()).capabilities.presets).toEqual({ stt: null, tts });
});

test('a call offers hosted speech where it has a preset and the audio', async () => {
  const { meetings, preset } = await world();
  await preset('a', 'stt', true);
  await preset('a', 'tts', true);
  const call = await meetings.place();
  expect(call.snapshot().capabilities).toEqual([...WHOLE, 'hosted_stt', 'hosted_tts']);
  const events: CallEvent[] = [];
  call.observe({ event: (event) => events.push(event) });
  meetings.meetings.leg.observer.capabilities(['audio_in']);
  expect(events).toEqual([{ type: 'call_capabilities', capabilities: ['audio_in', 'hosted_stt'] }]);
  expect(call.snapshot().capabilities).toEqual(['audio_in', 'hosted_stt']);
});

test('a call can name the enabled presets, and gets no others', async () => {
  const { meetings, preset } = await world();
  const [stt, tts] = [await preset('a', 'stt', true), await preset('a', 'tts', true)];
  expect((await meetings.place({ presets: { stt: stt.id, tts: tts.id } })).capabilities.presets).toEqual({
    stt,
    tts,
  });
  const disabled = await preset('a', 'stt', false);
  const foreign = await preset('b', 'stt', true);
  const refusals: [string, string][] = [
    [disabled.id, 'voice_config_disabled'],
    [foreign.id, 'voice_config_not_found'],
    [randomUUID(), 'voice_config_not_found'],
    [tts.id, 'voice_config_wrong_kind'],
  ];
  const before = meetings.domain.registry.countOf('acc_a');
  for (const [id, code] of refusals)
    await expect(meetings.place({ presets: { stt: id, tts: null } })).rejects.toMatchObject({ code });
  expect(meetings.domain.registry.countOf('acc_a')).toBe(before);
});

test('a live call keeps its preset when that is disabled, changed or deleted; a new call does not have it', async () => {
  const { meetings, db, preset } = await world();
  const tts = await preset('a', 'tts', true);
  const call = await meetings.place();
  await updateVoiceConfig(db, { ...tts, enabled: false, options: { voice: 'kal' } });
  await expect(meetings.place({ presets: { stt: null, tts: tts.id } })).rejects.toMatchObject({
    code: 'voice_config_disabled',
  });
  await takeRow(db, 'voiceConfigs', { accountId: 'acc_a', id: tts.id });
  expect(call.capabilities.presets).toEqual({ stt: null, tts });
  expect((await meetings.place()).capabilities.presets).toEqual({ stt: null, tts: null });
});

test('an inbound call has the enabled presets while it rings', async () => {
  const { meetings, preset } = await world();
  const stt = await preset('a', 'stt', true);
  meetings.meetings.ring(meetings.owner('a'), { kind: 'shared' });
  const call = meetings.domain.registry.listOf('acc_a').at(-1)!;
  await waitFor('its presets', () => call.capabilities.presets.stt !== null);
  expect(call.capabilities.presets).toEqual({ stt, tts: null });
  const capabilities = [...WHOLE, 'hosted_stt'];
  expect(call.snapshot().capabilities).toEqual(capabilities);
  expect(await meetings.domain.recorder.find(call.identity.callId)).toMatchObject({ capabilities });
});

test('a number speaks with its own preset or not at all, and with the enabled one if its own is deleted', async () => {
  const { meetings, db, preset } = await world();
  const [enabled, own] = [await preset('a', 'tts', true), await preset('a', 'tts', false)];
  const foreign = await preset('b', 'tts', true);
  const chosen = async (tts: string | null) =>
    (await presetsOfNumber(meetings.domain.presets, 'acc_a', { stt: null, tts })).tts;
  expect(await chosen(null)).toEqual(enabled);
  expect(await chosen(enabled.id)).toEqual(enabled);
  expect(await chosen(own.id)).toBe(null);
  expect(await chosen(foreign.id)).toEqual(enabled);
  await updateVoiceConfig(db, { ...enabled, enabled: false });
  await updateVoiceConfig(db, { ...own, enabled: true });
  expect(await chosen(own.id)).toMatchObject({ id: own.id });
  expect(await chosen(enabled.id)).toBe(null);
  await takeRow(db, 'voiceConfigs', { accountId: 'acc_a', id: enabled.id });
  expect(await chosen(enabled.id)).toMatchObject({ id: own.id });
});
