import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Mailbox } from '../../test/support/mailbox.ts';
import type { Attack, Target } from './attack.ts';
import { answerAboutMails, type MailQuestion } from './mails.ts';
import type { Finding } from './notes.ts';

const PROGRAM = join(import.meta.dirname, 'attack-program.ts');
const DEADLINE_MS = 120_000;
/** Real attackers have their own machines, so their work must not take the gateway's core. */
const NICENESS = ['nice', '-n', '15'] as const;

/** Attacks under way, of which there may be many at once. They end with this process. */
const underWay = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of underWay) child.kill('SIGKILL');
});

/** Runs one attack in its own process. */
export async function runAttack(attack: Attack, target: Target, mailbox: Mailbox): Promise<Finding> {
  const [command, ...args] = [
    ...NICENESS,
    process.execPath,
    PROGRAM,
    `${attack.number}`,
    JSON.stringify(target),
  ];
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  underWay.add(child);
  const deadline = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS);
  try {
    return await new Promise<Finding>((resolve) => {
      child.on('message', (message: { finding: Finding } | MailQuestion) => {
        if ('finding' in message) resolve(message.finding);
        else
          void answerAboutMails(mailbox, message).then((answer) => {
            if (child.connected) child.send(answer);
          });
      });
      child.once('close', (code, signal) =>
        resolve({
          did: [],
          saw: [],
          faults: [`the attack's process ended without a result: ${signal ?? code}`],
        }),
      );
    });
  } finally {
    clearTimeout(deadline);
    underWay.delete(child);
    child.kill('SIGKILL');
  }
}
