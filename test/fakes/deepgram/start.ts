import { announceVendor } from '../speech-vendor/announce.ts';
import { deepgram } from './manners.ts';

const PORT = 8_096;

export async function startFake([port]: readonly string[]): Promise<void> {
  await announceVendor(deepgram, Number(port ?? PORT));
}
