import { describe, expect, it } from 'vitest';
import { faultsOf, judgedSlope, memoryFault, slopeMbPerHour } from '../../../../bench/soak/judgement.ts';

const well = { received: 1_000, due: 1_000, breaks: 0, silentMs: 12 };
const call = {
  phone: 3,
  lost: 0,
  telephone: well,
  agent: well,
  agentErrors: 0,
  agentLostMs: 0,
  agentBlocked: 0,
};

describe('the faults of a call in the soak test', () => {
  it('are none for a call that both ends heard', () => {
    expect(faultsOf(call)).toEqual([]);
    expect(faultsOf({ ...call, agentErrors: 1, agentLostMs: 40 })).toEqual([]);
  });

  it('ignore a short gap, but not one of seconds', () => {
    expect(faultsOf({ ...call, agent: { ...well, received: 950 } })).toEqual([]);
    expect(faultsOf({ ...call, agent: { ...well, received: 900 } })).toEqual([
      'the agent got 900 of 1000 frames',
    ]);
  });

  it('include what both ends know of a gap', () => {
    const agent = { ...well, received: 900 };
    expect(
      faultsOf({ ...call, agent, lost: 3, agentErrors: 2, agentLostMs: 2_000, agentBlocked: 1 }),
    ).toEqual([
      'the agent got 900 of 1000 frames',
      '3 packets lost on the way to the telephone',
      '2 call errors',
      'the gateway dropped 2000 ms on the way to the agent',
      '1 frames of the agent blocked',
    ]);
  });

  it('name an end that heard nothing, or nothing any more', () => {
    const deaf = { received: 0, due: 0, breaks: 0, silentMs: 9_000 };
    const faults = faultsOf({ ...call, telephone: deaf, agent: { ...well, silentMs: 1_500 } });
    expect(faults).toEqual(['the telephone heard nothing', 'the agent heard nothing for the last 1500 ms']);
  });
});

describe('the slope of memory', () => {
  it('is that of the line through the points', () => {
    const points = [0, 0.1, 0.2, 0.3].map((hours) => ({ hours, bytes: 100e6 + hours * 5e6 }));
    expect(slopeMbPerHour(points)).toBeCloseTo(5);
  });

  it('ignores a short burst', () => {
    const points = Array.from({ length: 20 }, (_, n) => ({ hours: n / 60, bytes: n === 15 ? 300e6 : 100e6 }));
    expect(slopeMbPerHour(points)).toBe(0);
  });

  it('is NaN for a single point', () => {
    expect(slopeMbPerHour([{ hours: 0, bytes: 1 }])).toBeNaN();
  });
});

describe('memory in the soak test', () => {
  const line = (minutes: number, mbPerHour: number) =>
    Array.from({ length: minutes * 6 + 1 }, (_, n) => ({
      hours: n / 360,
      bytes: 100e6 + (n / 360) * mbPerHour * 1e6,
    }));

  it('passes when it grows by less than a megabyte an hour', () => {
    expect(memoryFault(judgedSlope(line(20, 0.9)))).toBeNull();
    expect(memoryFault(judgedSlope(line(20, 1.1)))).toBe('memory grows');
  });

  it('gets no verdict from a run of too few minutes', () => {
    const short = [[], line(0, 0), line(4, 0), line(4, 90)];
    expect(short.map((points) => memoryFault(judgedSlope(points)))).toEqual(
      Array(4).fill('too short a run to judge memory by'),
    );
  });
});
