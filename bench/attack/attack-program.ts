/** The process of one attack. Arguments: its number and its target. It sends its finding to the parent. */
import type { Target } from './attack.ts';
import { attackOf } from './attacks.ts';
import { RemoteMails } from './mails.ts';
import { Notes } from './notes.ts';

const [number, target] = process.argv.slice(2);
const notes = new Notes();
// The gateway is right to cut connections, so that must not end the attacker.
process.on('uncaughtException', (error) => notes.see(`in passing: ${error.message}`));
try {
  await attackOf(Number(number)).run(JSON.parse(target ?? '') as Target, notes, new RemoteMails());
} catch (error) {
  notes.demand(false, 'the attack broke off', (error as Error).message.split('\n')[0] ?? '');
}
const { did, saw, faults } = notes;
process.send?.({ finding: { did, saw, faults } }, () => process.exit());
