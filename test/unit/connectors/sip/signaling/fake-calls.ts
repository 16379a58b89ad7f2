import type { Termination } from '../../../../../src/base/termination.ts';
import type { LegObserver, PlatformLeg } from '../../../../../src/connectors/contract/call-leg.ts';
import type {
  InboundAnswerer,
  InboundCall,
  RingAnswer,
} from '../../../../../src/connectors/contract/connector.ts';
import { waitFor } from '../../../../support/wait-for.ts';
import { FakeMedia } from './fake-media.ts';

/** A call actor that only records. */
export class RecordedLeg implements LegObserver {
  readonly media = new FakeMedia();
  readonly log: string[] = [];
  digits = '';
  termination: Termination | null = null;

  ringing(): void {
    this.log.push('ringing');
  }

  earlyMedia(): void {
    this.log.push('early media');
  }

  held(onHold: boolean): void {
    this.log.push(onHold ? 'held' : 'resumed');
  }

  answered(): void {
    this.log.push('answered');
  }

  waiting(reason: string): void {
    this.log.push(`waiting: ${reason}`);
  }

  /** A phone call has none of these. */
  capabilities(): never {
    throw new Error('the capabilities of a phone call never change');
  }

  created(): never {
    throw new Error('a phone call is made to somebody');
  }

  participants(): never {
    throw new Error('a phone call has no list of participants');
  }

  speaking(): never {
    throw new Error('a phone call has one voice');
  }

  chat(): never {
    throw new Error('a phone call has no chat');
  }

  said(): never {
    throw new Error('nobody transcribes a phone call');
  }

  dtmf(digit: string): void {
    this.digits += digit;
  }

  ended(by: 'local' | 'remote' | 'lost', termination: Termination): void {
    this.log.push(`ended ${by}`);
    this.termination = termination;
    this.media.close();
  }

  async waitFor(entry: string, deadlineMs?: number): Promise<void> {
    await waitFor(`leg to log "${entry}", has [${this.log}]`, () => this.log.includes(entry), deadlineMs);
  }
}

/** The domain's side of inbound calls, with room for all or for none. */
export class RecordingAnswerer implements InboundAnswerer {
  readonly calls: { call: InboundCall; leg: PlatformLeg; notes: RecordedLeg }[] = [];
  answer: RingAnswer = 'ringing';
  answersAtOnce = false;
  /** Media opens no earlier than this resolves. */
  mediaMayOpen: Promise<void> = Promise.resolve();

  ring(call: InboundCall): RingAnswer {
    if (this.answer !== 'ringing') return this.answer;
    const notes = new RecordedLeg();
    notes.media.mayOpen = this.mediaMayOpen;
    const leg = call.take(notes.media, notes);
    this.calls.push({ call, leg, notes });
    if (this.answersAtOnce) leg.accept();
    return 'ringing';
  }

  async next(index = 0): Promise<{ call: InboundCall; leg: PlatformLeg; notes: RecordedLeg }> {
    return waitFor('an inbound call', () => this.calls[index]);
  }
}
