// Reads a URL at an even pace, whether the earlier answers have come or not, and prints the milliseconds of each.
import { Agent, get } from 'node:http';

const EVERY_MS = 10;
const WARM_READS = 20;
const MS_PER_S = 1_000;

const [url = '', apiKey = '', seconds = ''] = process.argv.slice(2);
const options = { agent: new Agent({ keepAlive: true }), headers: { 'x-api-key': apiKey } };

function read(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const startMs = performance.now();
  get(url, options, (response) => {
    if (response.statusCode !== 200) reject(new Error(`GET ${url}: ${response.statusCode}`));
    response.resume().once('end', () => resolve(performance.now() - startMs));
  }).once('error', reject);
  return promise;
}

async function readFor(count: number): Promise<number[]> {
  const startMs = performance.now();
  const reads: Promise<number>[] = [];
  for (let i = 0; i < count; i++) {
    await new Promise((resolve) => setTimeout(resolve, startMs + i * EVERY_MS - performance.now()));
    reads.push(read());
  }
  return await Promise.all(reads);
}

await readFor(WARM_READS);
console.log((await readFor((Number(seconds) * MS_PER_S) / EVERY_MS)).join('\n'));
process.exit();
