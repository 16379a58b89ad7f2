import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimSignalingPorts, type PortClaim } from './free-ports.ts';
import { waitFor } from './wait-for.ts';

/** Whether there is a Kamailio on this machine. */
export const hasKamailio = spawnSync('kamailio', ['-v']).status === 0;

/** A registrar and a record-routing proxy: calls for a registered user go there, all others to the phone. */
function configOf(port: number, phonePort: number): string {
  return `
debug=0
log_stderror=yes
children=2
disable_tcp=yes
auto_aliases=no
listen=udp:127.0.0.1:${port}
loadmodule "tm.so"
loadmodule "sl.so"
loadmodule "rr.so"
loadmodule "pv.so"
loadmodule "maxfwd.so"
loadmodule "usrloc.so"
loadmodule "registrar.so"
loadmodule "textops.so"
loadmodule "siputils.so"
modparam("usrloc", "db_mode", 0)
request_route {
  if (is_method("CANCEL")) { if (t_check_trans()) t_relay(); exit; }
  if (has_totag()) { loose_route(); t_relay(); exit; }
  t_check_trans();
  if (is_method("REGISTER")) { save("location"); exit; }
  record_route();
  if (!lookup("location")) { $rd = "127.0.0.1"; $rp = ${phonePort}; }
  t_relay();
}
`;
}

/** A Kamailio between the gateway and a phone. */
export class Kamailio {
  readonly #claim: PortClaim;
  readonly #process: ChildProcess;
  readonly #folder: string;

  private constructor(claim: PortClaim, process: ChildProcess, folder: string) {
    this.#claim = claim;
    this.#process = process;
    this.#folder = folder;
  }

  get port(): number {
    return this.#claim.first;
  }

  static async start(phonePort: number): Promise<Kamailio> {
    const claim = await claimSignalingPorts(2);
    const port = claim.first;
    const folder = await mkdtemp(join(tmpdir(), 'kamailio-'));
    const file = join(folder, 'kamailio.cfg');
    await writeFile(file, configOf(port, phonePort));
    const child = spawn('kamailio', ['-f', file, '-DD', '-E', '-m', '32', '-M', '4', '-Y', folder], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let log = '';
    child.stderr.on('data', (bytes: Buffer) => {
      log += bytes.toString();
    });
    await waitFor('Kamailio to listen', () => {
      if (child.exitCode !== null) throw new Error(`Kamailio has ended: ${log}`);
      return spawnSync('ss', ['-lun']).stdout.toString().includes(`127.0.0.1:${port}`);
    });
    return new Kamailio(claim, child, folder);
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await ended;
    this.#claim.release();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
