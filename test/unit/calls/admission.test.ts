import { expect, it } from 'vitest';
import { Admission, type AdmissionOptions, type LoadGauge } from '../../../src/calls/admission.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const LOOK_MS = 250;
/** Looks after which a reading that stays is the level. */
const SETTLED = 30;

/** A machine of which each call takes a part, as it is seen some looks later. */
class Machine {
  readonly clock = new ManualClock();
  readonly admission: Admission;
  calls = 0;
  /** What is seen beside the calls. */
  besides = 0;
  partOfCall = 0.004;
  /** Times that the gauge was read. */
  reads = 0;

  constructor(options: Partial<AdmissionOptions> = {}, gauge: Partial<LoadGauge> = {}) {
    const read = () => {
      this.reads += 1;
      return this.besides + this.#seenCalls() * this.partOfCall;
    };
    const engine = {
      name: 'engine',
      shortage: 'the engine is busy',
      full: 0.8,
      clear: 0.7,
      growsWithCalls: true,
    };
    this.admission = new Admission({
      clock: this.clock,
      gauges: [{ ...engine, read, ...gauge }],
      maxCalls: null,
      alwaysAdmitted: 0,
      liveCalls: () => this.calls,
      ...options,
    });
    // The first call of all has the gauges watched; it has ended already.
    this.admission.admit();
  }

  #history: number[] = [];

  /** Calls are seen at work half a second after they were admitted. */
  #seenCalls(): number {
    this.#history.push(this.calls);
    return this.#history.at(-3) ?? 0;
  }

  /** Offers calls; returns how many were admitted. */
  offer(count: number): number {
    let admitted = 0;
    for (let n = 0; n < count; n++) {
      if (this.admission.admit() !== null) continue;
      this.calls += 1;
      admitted += 1;
    }
    return admitted;
  }

  look(times = SETTLED): void {
    for (let n = 0; n < times; n++) this.clock.advance(LOOK_MS);
  }
}

it('admits what the machine can carry of a burst that it cannot see yet', () => {
  const machine = new Machine();
  const admitted = machine.offer(1_000);
  expect(admitted).toBeGreaterThanOrEqual(150);
  expect(admitted).toBeLessThanOrEqual(200);
  machine.look();
  expect(machine.calls * machine.partOfCall).toBeLessThanOrEqual(0.8);
  expect(machine.admission.refused).toBe(1_000 - admitted);
});

it.each([0.001, 0.003, 0.008])('fills the machine with calls that take %d each, and no more', (part) => {
  const machine = new Machine();
  machine.partOfCall = part;
  for (let n = 0; n < 200; n++) {
    machine.offer(5);
    machine.look(1);
  }
  const load = machine.calls * part;
  expect(load).toBeGreaterThan(0.7);
  expect(load).toBeLessThan(0.9);
});

it('admits calls again once enough is free, not at once', () => {
  const machine = new Machine();
  machine.besides = 0.85;
  machine.look();
  expect(machine.admission.problem).toBe('the engine is busy');
  machine.besides = 0.75;
  machine.look();
  expect(machine.admission.admit()).toBe('the engine is busy');
  machine.besides = 0.6;
  machine.look();
  expect(machine.admission.admit()).toBeNull();
});

it('has all room again within two seconds after the load has gone', () => {
  const machine = new Machine();
  machine.besides = 0.95;
  machine.look();
  machine.besides = 0;
  machine.look(2_000 / LOOK_MS);
  expect(machine.admission.problem).toBeNull();
});

it('is not full because of one pause', () => {
  const machine = new Machine();
  machine.besides = 0.5;
  machine.look();
  machine.besides = 1;
  machine.look(1);
  expect(machine.admission.problem).toBeNull();
});

it('admits the first calls whatever else the machine does', () => {
  const machine = new Machine({ alwaysAdmitted: 10 });
  machine.besides = 1;
  machine.look();
  expect(machine.offer(20)).toBe(10);
});

it('admits no more than the most calls, and tells how many there are', () => {
  const machine = new Machine({ maxCalls: 3 });
  expect(machine.offer(5)).toBe(3);
  expect(machine.admission.problem).toBe('3 calls are live, which is the most');
  machine.calls -= 1;
  expect(machine.offer(2)).toBe(1);
});

it('does not count calls for what does not grow with them', () => {
  const machine = new Machine({}, { growsWithCalls: false });
  expect(machine.offer(1_000)).toBe(1_000);
});

it('tells the levels', () => {
  const machine = new Machine();
  machine.calls = 1;
  machine.besides = 0.496;
  machine.look();
  expect(machine.admission.levels).toEqual([['engine', expect.closeTo(0.5)]]);
  machine.admission.close();
});

it('looks at nothing while there are no calls', () => {
  const machine = new Machine();
  machine.look();
  const { reads } = machine;
  machine.look(100);
  expect(machine.reads).toBe(reads);
  machine.offer(1);
  machine.look(100);
  expect(machine.reads).toBeGreaterThan(reads + 100);
});

it('has all room for a burst after a rest, whatever was before it', () => {
  const machine = new Machine();
  const admitted = machine.offer(1_000);
  machine.look();
  machine.calls = 0;
  machine.look();
  expect(machine.offer(1_000)).toBeGreaterThan(admitted * 0.98);
});
