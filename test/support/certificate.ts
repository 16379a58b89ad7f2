import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A self-signed certificate. */
export interface Certificate {
  readonly certPath: string;
  readonly keyPath: string;
  /** Key and certificate in one file, as baresip wants them. */
  readonly pemPath: string;
}

/** Makes one in `folder` for these names (`subjectAltName`); needs the `openssl` command. */
export function makeCertificate(folder: string, names = 'IP:127.0.0.1,DNS:localhost'): Certificate {
  const certPath = join(folder, 'cert.pem');
  const keyPath = join(folder, 'key.pem');
  const pemPath = join(folder, 'both.pem');
  execFileSync(
    'openssl',
    [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
      ],
      ...['-subj', '/CN=127.0.0.1', '-addext', `subjectAltName=${names}`],
      ...['-keyout', keyPath, '-out', certPath],
    ],
    { stdio: 'ignore' },
  );
  writeFileSync(pemPath, readFileSync(keyPath, 'utf8') + readFileSync(certPath, 'utf8'));
  return { certPath, keyPath, pemPath };
}
