import { afterEach, describe, expect, it } from 'vitest';
import { requirePeer } from '../support/require-peer.ts';
import { Sipp } from '../support/sipp.ts';
import { waitFor } from '../support/wait-for.ts';
import { RecordedLeg } from '../unit/connectors/sip/signaling/fake-calls.ts';
import {
  ConnectorUnderTest,
  dialTo,
  NUMBER,
  trunkTo,
} from '../unit/connectors/sip/signaling/start-connector.ts';

const CALLS = 100;

describe.skipIf(requirePeer('sipp'))('a hundred calls with sipp', () => {
  const cleanups: (() => Promise<void>)[] = [];

  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  it('are received at once without a loss', async () => {
    const gateway = await ConnectorUnderTest.start({ rtpPortMin: 30_000, rtpPortMax: 30_999 });
    cleanups.push(() => gateway.stop());
    gateway.connector.putNumber({ ...NUMBER, number: '+33123456789' });
    gateway.connector.putTrunk(trunkTo(5_070));
    const sipp = await Sipp.start({
      scenario: { builtIn: 'uac' },
      target: gateway.uri,
      service: '+33123456789',
      calls: CALLS,
      parallel: CALLS,
      rate: 100,
      extraArgs: ['-d', '3000'],
    });
    cleanups.push(() => sipp.stop());
    const accepting = setInterval(() => {
      for (const { leg } of gateway.answerer.calls) leg.accept();
    }, 20);
    cleanups.push(async () => clearInterval(accepting));
    const result = await sipp.finished(30_000);
    expect(result).toMatchObject({ successful: CALLS, failed: 0 });
    await waitFor('all legs to end', () =>
      gateway.answerer.calls.every(({ notes }) => notes.termination !== null),
    );
    const logs = new Set(gateway.answerer.calls.map(({ notes }) => notes.log.join()));
    expect(logs).toEqual(new Set(['answered,ended remote']));
  });

  it('are placed at once and hung up', async () => {
    const gateway = await ConnectorUnderTest.start({ rtpPortMin: 31_000, rtpPortMax: 31_999 });
    cleanups.push(() => gateway.stop());
    const sipp = await Sipp.start({ scenario: { builtIn: 'uas' }, calls: CALLS });
    cleanups.push(() => sipp.stop());
    gateway.connector.putTrunk(trunkTo(sipp.port));
    const legs = Array.from({ length: CALLS }, (_, index) => {
      const notes = new RecordedLeg();
      const target = `sip:+331234567${index}@127.0.0.1`;
      const request = dialTo(target, { callId: `call_${index}` });
      return { notes, leg: gateway.connector.dial(request, notes.media, notes) };
    });
    await waitFor('all to answer', () => legs.every(({ notes }) => notes.log.includes('answered')));
    for (const { leg } of legs) leg.hangUp();
    await Promise.all(legs.map(({ leg }) => leg.released));
    expect(await sipp.finished(30_000)).toMatchObject({ successful: CALLS, failed: 0 });
  });
});
