import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { claimSignalingPorts, type PortClaim } from './free-ports.ts';
import { PeerServer } from './peer-server.ts';

/** A registrar and a record-routing proxy: calls for a registered user go there, all others to the phone. */
function configOf(port: number, phonePort: number): string {
  return `
debug=0
log_stderror=yes
# One, so that an INVITE does not overtake the ACK before it.
children=1
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
export class Kamailio extends PeerServer {
  protected readonly program = 'Kamailio';
  readonly #configuration = join(this.folder, 'kamailio.cfg');

  private constructor(claim: PortClaim, phonePort: number) {
    super(claim);
    writeFileSync(this.#configuration, configOf(this.port, phonePort));
  }

  static async start(phonePort: number): Promise<Kamailio> {
    return await new Kamailio(await claimSignalingPorts(2), phonePort).begin();
  }

  protected command(): readonly string[] {
    return [
      'kamailio',
      '-f',
      this.#configuration,
      ...['-DD', '-E', '-m', '32', '-M', '4', '-Y', this.folder],
    ];
  }

  protected answers(): boolean {
    return spawnSync('ss', ['-lun']).stdout.toString().includes(`127.0.0.1:${this.port}`);
  }
}
