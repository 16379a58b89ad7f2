/**
 * The health check of a container: exits with 0 if the gateway with these settings answers `/readyz` with 200, otherwise
 * with 1 and the reason. Plain CommonJS with nothing but Node, because it runs every few seconds.
 */
const { readFileSync } = require('node:fs');
const { get } = require('node:http');
const { join } = require('node:path');

const DEADLINE_MS = 2_000;
/** Addresses that a server listens on, by which nobody can reach it. */
const ANY_ADDRESS = { '0.0.0.0': '127.0.0.1', '::': '::1' };

function settingsFile() {
  try {
    return JSON.parse(readFileSync(join(__dirname, '../config/gateway.json'), 'utf8'));
  } catch {
    // There is none, or the gateway reports what is wrong with it.
    return {};
  }
}

function unhealthy(reason) {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}

const file = settingsFile();
const setting = (name, otherwise) => process.env[name] || file[name] || otherwise;
const host = setting('SVC_HOST', '127.0.0.1');
const port = setting('SVC_PORT', 8080);

get(
  { host: ANY_ADDRESS[host] ?? host, port, path: '/readyz', signal: AbortSignal.timeout(DEADLINE_MS) },
  (response) => {
    if (response.statusCode !== 200) unhealthy(`/readyz answers ${response.statusCode}`);
    process.exit(0);
  },
).on('error', (error) => unhealthy(error.message));
