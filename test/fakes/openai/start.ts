import { announceVendor } from '../speech-vendor/announce.ts';
import { openai } from './manners.ts';

const PORT = 8_099;

export async function startFake([port]: readonly string[]): Promise<void> {
  await announceVendor(openai, Number(port ?? PORT));
}
