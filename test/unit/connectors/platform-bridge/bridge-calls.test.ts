import { expect, onTestFinished, test } from 'vitest';
import type { LegObserver, PlatformLeg } from '../../../../src/connectors/contract/call-leg.ts';
import type { InboundCall, RingAnswer } from '../../../../src/connectors/contract/connector.ts';
import { BridgeCalls } from '../../../../src/connectors/platform-bridge/bridge-calls.ts';
import { BridgeClient } from '../../../../src/connectors/platform-bridge/bridge-client.ts';
import type { MediaControl } from '../../../../src/media/media-control.ts';
import { FakeBridge } from '../../../fakes/platform-bridge/fake-bridge.ts';
import { SocketClock } from '../../../support/socket-clock.ts';

const CALL = {
  callRef: 'c1',
  accountId: 'acc_1',
  agentId: 'agt_1',
  login: { kind: 'shared' },
  caller: 'Ada',
  target: '',
} as const;

interface Rung {
  readonly call: InboundCall;
  readonly leg: PlatformLeg;
  readonly heard: string[];
}

async function calls(answer: RingAnswer = 'ringing') {
  const clock = new SocketClock();
  const bridge = await FakeBridge.start(clock);
  onTestFinished(() => bridge.stop());
  const client = new BridgeClient({ url: bridge.url, key: bridge.key }, clock);
  const bridged = new BridgeCalls('teams', { client, clock, onAnswerer: () => undefined });
  const rung: Rung[] = [];
  bridged.onInbound({
    ring: (call) => {
      if (answer !== 'ringing') return answer;
      const heard: string[] = [];
      const observer = {
        answered: () => heard.push('answered'),
        ended: (by: string, { result }: { readonly result: string }) => heard.push(`${by} ${result}`),
      } as unknown as LegObserver;
      rung.push({ call, heard, leg: call.take({} as MediaControl, observer) });
      return answer;
    },
  });
  const told = () => bridge.told.all.map(({ type }) => type);
  return { bridge, bridged, clock, rung, told };
}

test('a call rings once, without audio, and its end frees the reference', async () => {
  const { bridged, rung } = await calls();
  expect([bridged.ring(CALL), bridged.ring(CALL)]).toEqual(['ringing', 'known']);
  const [{ call, leg, heard }] = rung as [Rung];
  expect(call).toMatchObject({ accountId: 'acc_1', caller: 'Ada', capabilities: [], autoAnswer: false });
  expect([bridged.ended('c2', 'gone'), bridged.ended('c1', 'gone')]).toEqual([false, true]);
  await leg.released;
  expect(heard).toEqual(['remote missed']);
  expect([bridged.ended('c1', 'gone'), bridged.ring(CALL)]).toEqual([false, 'ringing']);
});

test.each(['busy', 'overloaded'] as const)(
  'a call without room is busy and leaves nothing: %s',
  async (answer) => {
    const { bridged } = await calls(answer);
    expect([bridged.ring(CALL), bridged.ended('c1', '')]).toEqual(['busy', false]);
  },
);

test('an accepted call is answered once the bridge has confirmed, also after a failure', async () => {
  const { bridge, bridged, clock, rung, told } = await calls();
  bridged.ring(CALL);
  const [{ leg, heard }] = rung as [Rung];
  bridge.faults.push({ status: 503 });
  leg.accept();
  expect(heard).toEqual([]);
  await clock.until('the answer', () => heard.length > 0);
  expect([heard, told()]).toEqual([['answered'], ['call_accept']]);
  leg.hangUp();
  leg.hangUp();
  await leg.released;
  expect([heard, told()]).toEqual([
    ['answered', 'local completed'],
    ['call_accept', 'call_leave'],
  ]);
});

test('a call that the bridge no longer has fails', async () => {
  const { bridge, bridged, rung } = await calls();
  bridged.ring(CALL);
  const [{ leg, heard }] = rung as [Rung];
  bridge.faults.push({ status: 200, body: '{"status":"gone"}' });
  leg.accept();
  await leg.released;
  expect(heard).toEqual(['lost failed']);
});

test('who hangs up while the bridge is asked ends the call at once', async () => {
  const { bridge, bridged, clock, rung, told } = await calls();
  bridged.ring(CALL);
  const [{ leg, heard }] = rung as [Rung];
  bridge.faults.push(...Array.from({ length: 3 }, () => ({ status: 503, headers: { 'retry-after': '30' } })));
  leg.accept();
  await clock.until('the first try', () => bridge.faults.length === 2);
  bridge.faults.length = 0;
  leg.hangUp();
  await leg.released;
  expect([heard, told()]).toEqual([['local completed'], ['call_leave']]);
});

test('a refused call tells the bridge, and closing leaves all others', async () => {
  const { bridged, rung, told } = await calls();
  bridged.ring(CALL);
  bridged.ring({ ...CALL, callRef: 'c2' });
  const [first, second] = rung as [Rung, Rung];
  first.leg.refuse();
  await first.leg.released;
  await bridged.close(5_000);
  expect([first.heard, second.heard]).toEqual([['local refused'], ['local completed']]);
  expect(told()).toEqual(['call_refuse', 'call_leave']);
});
