import { parentPort, workerData } from 'node:worker_threads';
import { mediaIo } from '../../../src/rtp/open-rtp-leg.ts';
import { startMediaClock } from '../media-clock.ts';
import { type PhoneNote, type PhonePlace, RtpPhone } from './rtp-phone.ts';

/** To the thread of the phones. */
export interface SayCommand {
  readonly phone: number;
  readonly samples: Int16Array;
}

/** From it: `ready` once, and what its phones record. */
export type PhonesMessage = 'ready' | { readonly phone: number; readonly note: PhoneNote };

const RECEIVE_MS = 5;

const port = parentPort!;
const post = (message: PhonesMessage): void => port.postMessage(message);
const io = mediaIo('auto');
const phones: RtpPhone[] = [];
for (const [phone, place] of (workerData as PhonePlace[]).entries())
  phones.push(await RtpPhone.start(io, place, (note) => post({ phone, note })));

port.on('message', ({ phone, samples }: SayCommand) => phones[phone]!.say(samples));
startMediaClock((_index, dueMs) => {
  for (const phone of phones) phone.tick(dueMs);
  io.send();
});
setInterval(() => io.receive(), RECEIVE_MS);
post('ready');
