import type { Zone } from './dns-server.ts';

/** Stands for the public internet; everything else on loopback is inside. */
export const OUTSIDE = '127.0.0.9';

const RECORDS: Readonly<Record<string, { readonly A?: string[]; readonly AAAA?: string[] }>> = {
  'files.test': { A: [OUTSIDE] },
  localhost: { A: ['127.0.0.1'], AAAA: ['::1'] },
  'loopback.test': { A: ['127.0.0.1'] },
  '127.0.0.1.wild.test': { A: ['127.0.0.1'] },
  'private.test': { A: ['10.1.2.3'] },
  'metadata.test': { A: ['169.254.169.254'] },
  'metadata.google.internal': { A: ['169.254.169.254'] },
  'loopback6.test': { AAAA: ['::1'] },
  'mapped.test': { AAAA: ['::ffff:7f00:1'] },
  'nat64.test': { AAAA: ['64:ff9b::7f00:1'] },
  'mixed.test': { A: [OUTSIDE, '127.0.0.1'] },
  'mixed6.test': { A: [OUTSIDE], AAAA: ['fd00::1'] },
  'empty.test': {},
};

/** The names in hostile URLs, and some that are not: `….flips.test` moves inside after it was asked about once. */
export const zone: Zone = (name, type, nth) => {
  // Outside at the first lookup, inside at later ones.
  if (name.endsWith('flips.test')) return type === 'A' ? [nth === 0 ? OUTSIDE : '127.0.0.1'] : [];
  const records = RECORDS[name];
  return records && (records[type] ?? []);
};

/** URLs of what is inside. `IN` stands for the port of a server there, `OUT` for that of one outside. */
export const HOSTILE = [
  // Loopback, however it is written.
  'http://127.0.0.1:IN/',
  'http://127.1:IN/',
  'http://127.0.1:IN/',
  'http://127.255.255.254/',
  'http://0:IN/',
  'http://0.0.0.0:IN/',
  'http://2130706433:IN/',
  'http://4294967297:IN/',
  'http://00000000177.0.0.1:IN/',
  'http://017700000001:IN/',
  'http://0177.0.0.1:IN/',
  'http://0177.0.0.01:IN/',
  'http://0x7f000001:IN/',
  'http://0x7f.0.0.1:IN/',
  'http://0x7f.1:IN/',
  'http://0X7F.0X0.0X0.0X1:IN/',
  'http://127.0.0.1.:IN/',
  'http://１２７.０.０.１:IN/',
  'http://127。0。0。1:IN/',
  'http://①②⑦.⓪.⓪.①:IN/',
  'http://%31%32%37.0.0.1:IN/',
  'HTTP://127.0.0.1:IN',
  'http:127.0.0.1:IN',
  'http:///127.0.0.1:IN/',
  'http:\\\\127.0.0.1:IN\\',
  ' http://127.0.0.1:IN/ ',
  'ht\ntp://127.0.0.1:IN/',
  // Private, shared and special networks.
  'http://10.0.0.1/',
  'http://10.255.255.255/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.0.1/',
  'http://3232235777/',
  'http://100.64.0.1/',
  'http://198.18.0.1/',
  'http://192.0.2.1/',
  'http://198.51.100.1/',
  'http://203.0.113.1/',
  'http://192.88.99.1/',
  'http://224.0.0.1/',
  'http://239.255.255.250/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
  // Metadata of clouds.
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/',
  'http://0xa9fea9fe/',
  'http://0251.0376.0251.0376/',
  'http://169.254.170.2/v2/credentials',
  'http://100.100.100.200/',
  'http://168.63.129.16/',
  'http://192.0.0.192/',
  'http://[fd00:ec2::254]/',
  'http://[fd20:ce::254]/',
  // IPv6, and what wraps IPv4 in it.
  'http://[::1]:IN/',
  'http://[::]:IN/',
  'http://[0:0:0:0:0:0:0:1]:IN/',
  'http://[::ffff:127.0.0.1]:IN/',
  'http://[::ffff:7f00:1]:IN/',
  'http://[::ffff:0:127.0.0.1]:IN/',
  'http://[::127.0.0.1]:IN/',
  'http://[::7f00:1]:IN/',
  'http://[0:0:0:0:0:ffff:7f00:0001]:IN/',
  'http://[0000:0000:0000:0000:0000:0000:0000:0001]:IN/',
  'http://[::ffff:a9fe:a9fe]/',
  'http://[::ffff:169.254.169.254]/',
  'http://[64:ff9b::7f00:1]:IN/',
  'http://[64:ff9b::169.254.169.254]/',
  'http://[64:ff9b:1::7f00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[2002:a9fe:a9fe::1]/',
  'http://[2001:0:7f00:1::]/',
  'http://[fe80::1]/',
  'http://[fe80::1%25eth0]/',
  'http://[fc00::1]/',
  'http://[fec0::1]/',
  'http://[ff02::1]/',
  'http://[100::1]/',
  'http://[2001:db8::1]/',
  'http://[3fff::1]/',
  // Names of what is inside.
  'http://localhost:IN/',
  'http://LOCALHOST:IN/',
  'http://localhost.:IN/',
  'http://loopback.test:IN/',
  'http://loopback.test.:IN/',
  'http://127.0.0.1.wild.test:IN/',
  'http://private.test/',
  'http://metadata.test/',
  'http://metadata.google.internal/computeMetadata/v1/',
  'http://loopback6.test:IN/',
  'http://mapped.test:IN/',
  'http://nat64.test:IN/',
  'http://mixed.test:OUT/hello.txt',
  'http://mixed6.test:OUT/hello.txt',
  'http://empty.test/',
  'http://nowhere.test/',
  // Ambiguous hosts.
  'http://user:password@files.test:OUT/hello.txt',
  'http://files.test@127.0.0.1:IN/',
  'http://files.test:OUT@127.0.0.1:IN/',
  'http://127.0.0.1:IN\\@files.test/',
  'http://127.0.0.1:IN#@files.test/',
  'http://127.0.0.1:IN?@files.test/',
  // Not the web.
  'file:///etc/passwd',
  'ftp://files.test/hello.txt',
  'gopher://127.0.0.1:IN/_x',
  'data:text/plain,hello',
  'javascript:alert(1)',
  'ws://files.test:OUT/',
  'blob:http://files.test/x',
  '//files.test:OUT/hello.txt',
  '/hello.txt',
  'files.test',
  'http://',
  'http://[::1',
  'http://files.test:99999/',
  '',
  `http://files.test:OUT/${'x'.repeat(3_000)}`,
];

/** A hostile URL with the ports of the two servers in it. */
export function ported(url: string, insidePort: number, outsidePort: number): string {
  return url.replaceAll(':IN', `:${insidePort}`).replaceAll(':OUT', `:${outsidePort}`);
}

/** The answer to all of them. */
export const BLOCKED = { status: 400, message: 'Invalid URL / SSRF blocked', code: 'url_blocked' } as const;
