import { announceVendor } from '../speech-vendor/announce.ts';
import { elevenlabs } from './manners.ts';

const PORT = 8_095;

export async function startFake([port]: readonly string[]): Promise<void> {
  await announceVendor(elevenlabs, Number(port ?? PORT));
}
